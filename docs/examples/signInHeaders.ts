import { createTaskClient } from 'taskwire'

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  headers: async () => {
    const response = await fetch('/api/token') // wherever your app has its tokens
    const { token } = await response.json()
    return { Authorization: `Bearer ${token}` }
  },
})
