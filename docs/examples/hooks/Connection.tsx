import { useTaskClient, useTaskConnection } from 'taskwire/react'

/** Whether the server answers, and whether it has tasks. */
export function Connection() {
  const client = useTaskClient()
  const { status, tasks } = useTaskConnection()
  return (
    <p role="status">
      {status}
      {tasks && ', the server has tasks'}{' '}
      <button type="button" onClick={() => client.connect().catch(() => {})}>
        Connect
      </button>
    </p>
  )
}
