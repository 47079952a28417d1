import { createTaskClient } from 'taskwire'
import { type Tools, toolsHash } from './taskwire.gen'

export const client = createTaskClient<Tools>({ url: '/mcp', toolsHash })

// Gives every hook the names, arguments and results of the server's tools.
declare module 'taskwire' {
  interface Register {
    client: typeof client
  }
}
