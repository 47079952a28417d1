import { createTaskClient } from 'taskwire'
import { browserAuthProvider } from 'taskwire/auth'

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  authProvider: browserAuthProvider({
    redirectUrl: '/callback',
    clientMetadata: { client_name: 'Reports' },
  }),
})
