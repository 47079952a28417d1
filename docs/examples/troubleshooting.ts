import { createTaskClient } from 'taskwire'

const client = createTaskClient({
  url: 'https://example.com/mcp',
  // Failures that end no call: storage that is blocked, polls that fail,
  // servers that break the protocol.
  onError: (error, { operation }) => console.warn(operation, error),
})

/**
 * Paste what it prints into a report of a bug: no arguments, no results, no
 * tokens, no ids of tasks.
 */
export function watch(): () => void {
  const { status, era, eraReason, tasks } = client.store.getState().connection
  console.table({ status, era, eraReason, tasks })
  return client.observe(console.log)
}
