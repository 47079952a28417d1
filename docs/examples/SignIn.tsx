import { useState } from 'react'
import { AuthorizationFailedError } from 'taskwire'
import { useTaskClient, useTaskConnection } from 'taskwire/react'

export function SignIn() {
  const client = useTaskClient()
  const { status, error } = useTaskConnection()
  const [problem, setProblem] = useState<Error>()
  if (status !== 'unauthorized') return null
  const denied = error instanceof AuthorizationFailedError ? error : undefined
  return (
    <p role="alert">
      {(problem ?? denied)?.message ??
        'Sign in to continue. Running reports are kept.'}
      <button
        type="button"
        onClick={() => client.authorize().catch(setProblem)}
      >
        Sign in
      </button>
    </p>
  )
}
