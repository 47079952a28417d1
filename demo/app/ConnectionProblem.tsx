import { useTaskClient, useTaskConnection } from 'taskwire/react'

/** Why there is no connection, and another try. */
export function ConnectionProblem() {
  const client = useTaskClient()
  const { status, error } = useTaskConnection()
  if (status !== 'failed') return null

  // Where it fails again, the store has the error.
  const retry = () => void client.connect().catch(() => {})
  return (
    <section className="panel failure" aria-labelledby="connection-problem">
      <h2 id="connection-problem">No connection to the server</h2>
      <p>{error?.message}</p>
      <button type="button" className="button" onClick={retry}>
        Try again
      </button>
    </section>
  )
}
