import { createTaskClient } from 'taskwire'

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  headers: async () => {
    // Replace this with the way your app gets its token.
    const response = await fetch('/api/token')
    const { token } = await response.json()
    return { Authorization: `Bearer ${token}` }
  },
})
