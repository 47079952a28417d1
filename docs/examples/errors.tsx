import {
  TaskCancelledError,
  TaskExpiredError,
  TaskFailedError,
  ToolCallInterruptedError,
} from 'taskwire'

export function Problem({
  error,
  retry,
}: {
  error: Error
  retry: (() => void) | undefined
}) {
  if (error instanceof TaskCancelledError) return <p>Cancelled.</p>
  if (error instanceof TaskFailedError)
    return <p>The report failed: {error.message}</p>
  if (error instanceof TaskExpiredError)
    return <p>The server has dropped the report. Start it again.</p>
  if (error instanceof ToolCallInterruptedError) {
    return (
      <p>
        The page closed before the server answered; the report may be running.
        {retry && (
          <button type="button" onClick={retry}>
            Start it again
          </button>
        )}
      </p>
    )
  }
  return <p>{error.message}</p>
}
