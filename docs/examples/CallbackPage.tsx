import { useEffect, useState } from 'react'
import { useTaskClient } from 'taskwire/react'

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
      // The code is used up: take it out of the address.
      .finally(() => history.replaceState(null, '', location.pathname))
  }, [client])
  if (problem) return <p role="alert">{problem.message}</p>
  return <p>Signing in…</p>
}
