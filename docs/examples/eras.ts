import { createTaskClient } from 'taskwire'

// #region options
const client = createTaskClient({
  url: 'https://example.com/mcp',
  legacy: {
    tasks: 'auto', // 2025-11-25: every tool that may be a task is called as one
    ttlMs: 10 * 60_000, // 2025-11-25: how long the server is asked to keep it
  },
})

const { era, eraReason } = client.store.getState().connection

// #endregion options

export { client, era, eraReason }
