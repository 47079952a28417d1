import { useEffect, useState } from 'react'
import { AuthorizationFailedError, createTaskClient } from 'taskwire'
import { browserAuthProvider } from 'taskwire/auth'
import { useTaskClient, useTaskConnection } from 'taskwire/react'

// #region client
const client = createTaskClient({
  url: 'https://example.com/mcp',
  authProvider: browserAuthProvider({
    redirectUrl: '/callback',
    clientMetadata: { client_name: 'Reports' },
  }),
})
// #endregion client

// #region button
export function SignIn() {
  const client = useTaskClient()
  const { status, error } = useTaskConnection()
  const [problem, setProblem] = useState<Error>()
  if (status !== 'unauthorized') return null
  const denied = error instanceof AuthorizationFailedError ? error : undefined
  return (
    <p role="alert">
      {(problem ?? denied)?.message ?? 'Sign in to go on. Reports that run are not lost.'}
      <button type="button" onClick={() => client.authorize().catch(setProblem)}>
        Sign in
      </button>
    </p>
  )
}
// #endregion button

// #region callback
export function CallbackPage() {
  const client = useTaskClient()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    const url = location.href
    client
      .finishAuthorization(url)
      .then((outcome) => {
        if (outcome === 'handed-over') window.close()
        else location.replace('/')
      })
      .catch(setProblem)
      // The code is used up, and has no business in the history.
      .finally(() => history.replaceState(null, '', location.pathname))
  }, [client])
  if (problem) return <p role="alert">{problem.message}</p>
  return <p>Signing in…</p>
}
// #endregion callback

// #region popup
const authProvider = browserAuthProvider({
  redirectUrl: '/callback',
  openPopup: () => window.open('', 'sign-in', 'popup,width=480,height=640'),
})
// #endregion popup

declare const session: { token(): Promise<string> }

// #region headers
const withToken = createTaskClient({
  url: 'https://example.com/mcp',
  headers: async () => ({ Authorization: `Bearer ${await session.token()}` }),
})
// #endregion headers

// #region signOut
export async function signOut(): Promise<void> {
  await client.forget()
  await client.signOut()
}
// #endregion signOut

export { authProvider, client, withToken }
