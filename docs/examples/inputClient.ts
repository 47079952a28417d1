import { createTaskClient } from 'taskwire'

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  input: {
    handlers: {
      roots: () => ({ roots: [{ uri: 'file:///project', name: 'Project' }] }),
      sampling: async (request, { signal }) => {
        const response = await fetch('/api/complete', {
          method: 'POST',
          body: JSON.stringify(request.params),
          signal,
        })
        return response.json()
      },
    },
  },
})
