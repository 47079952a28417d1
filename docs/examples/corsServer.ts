import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/**
 * Any MCP server. With `createTaskServer` of taskwire/server, `cors: { origin:
 * [...] }` does all of this.
 */
export const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: 'reports', version: '1.0.0' })
  server.registerTool(
    'greet',
    { inputSchema: z.object({ name: z.string() }) },
    ({ name }) => ({
      content: [{ type: 'text', text: `Hello ${name}` }],
    }),
  )
  return server
})
