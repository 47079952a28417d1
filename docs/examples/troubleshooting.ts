import { createTaskClient } from 'taskwire'

const client = createTaskClient({
  url: 'https://example.com/mcp',
  // Failures that do not end a call: storage that is blocked, polls that fail,
  // servers that break the protocol.
  onError: (error, { operation }) => console.warn(operation, error),
})

/**
 * Paste its output into a bug report: it has no arguments, no results, no
 * tokens, and no ids of tasks.
 */
export function watch(): () => void {
  const { status, era, eraReason, tasks } = client.store.getState().connection
  console.table({ status, era, eraReason, tasks })
  return client.observe(console.log)
}
