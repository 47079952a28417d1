import type { PendingInputRequest } from 'taskwire/react'

export function ResponseStatus({ response }: Pick<PendingInputRequest, 'response'>) {
  if (response === undefined) return null
  if (response.status === 'rejected') return <p role="alert">{response.error.message}</p>
  return <p role="status">{response.isRetrying ? 'The server cannot be reached, trying again…' : 'Sending…'}</p>
}
