import { createTaskClient } from 'taskwire'
import { type Tools, toolsHash } from './taskwire.gen'

export const client = createTaskClient<Tools>({
  url: 'https://example.com/mcp',
  toolsHash,
})

declare module 'taskwire' {
  interface Register {
    client: typeof client
  }
}
