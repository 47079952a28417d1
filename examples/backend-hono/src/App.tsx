import { useEffect, useState } from 'react'
import { createTaskClient } from 'taskwire/bridge'
import { TaskClientProvider } from 'taskwire/react'
import { Report } from './Report'

const client = createTaskClient({ url: '/api/calls' })

export function App() {
  // Undefined until the backend has said who is signed in.
  const [user, setUser] = useState<string | null>()
  useEffect(() => {
    void ask('GET', '/api/user').then(setUser)
  }, [])

  // Calls belong to a user: for another one, the page starts from scratch.
  async function change(path: string) {
    await ask('POST', path)
    location.reload()
  }

  return (
    <main>
      <h1>Sales report</h1>
      {user === null && (
        <p>
          Sign in as{' '}
          <button type="button" onClick={() => change('/api/sign-in/ada')}>
            Ada
          </button>{' '}
          <button type="button" onClick={() => change('/api/sign-in/grace')}>
            Grace
          </button>
        </p>
      )}
      {user && (
        // The client connects when the provider is shown: now a user is signed
        // in, whose calls it can ask for.
        <TaskClientProvider client={client}>
          <Report />
          <p>
            Signed in as {user}.{' '}
            <button type="button" onClick={() => change('/api/sign-out')}>
              Sign out
            </button>
          </p>
        </TaskClientProvider>
      )}
    </main>
  )
}

async function ask(method: string, path: string): Promise<string | null> {
  const response = await fetch(path, { method })
  const { user } = (await response.json()) as { user: string | null }
  return user
}
