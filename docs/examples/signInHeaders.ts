import { createTaskClient } from 'taskwire'

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  headers: async () => {
    // Wherever your app has its tokens.
    const response = await fetch('/api/token')
    const { token } = await response.json()
    return { Authorization: `Bearer ${token}` }
  },
})
