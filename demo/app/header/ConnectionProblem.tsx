import { useTaskClient, useTaskConnection } from 'taskwire/react'

/** Why there is no connection, and another try. */
export function ConnectionProblem() {
  const client = useTaskClient()
  const { status, error } = useTaskConnection()
  if (status !== 'failed') return null

  // Where it fails again, the store has the error.
  const retry = () => void client.connect().catch(() => {})
  return (
    <section className="panel connection-problem" aria-labelledby="connection-problem">
      <h2 id="connection-problem">The studio’s server cannot be reached</h2>
      <p>Your renders keep running there. This page tries again when the network is back.</p>
      <details className="why">
        <summary>Why</summary>
        <p className="muted">{error?.message}</p>
      </details>
      <button type="button" className="button" onClick={retry}>
        Try again
      </button>
    </section>
  )
}
