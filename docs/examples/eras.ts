import { createTaskClient } from 'taskwire'

const client = createTaskClient({
  url: 'https://example.com/mcp',
  // Or 'modern', or 'legacy' for a server that speaks both and has tasks in
  // 2025-11-25 only.
  era: 'auto',
  legacy: {
    tasks: 'auto', // 2025-11-25: every tool that may be a task is called as one
    ttlMs: 10 * 60_000, // 2025-11-25: how long the server should keep the task
  },
})

await client.connect()
const { era, eraReason } = client.store.getState().connection
console.log(era, eraReason)
