import { instrumentTaskServer } from 'taskwire/otel'
import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'

const report = defineTool({
  name: 'generate_report',
  inputSchema: z.object({ quarter: z.string() }),
  taskSupport: 'optional',
  handler: ({ quarter }) => ({
    content: [{ type: 'text', text: `The report of ${quarter}` }],
  }),
})

export const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [report],
  instrument: instrumentTaskServer(),
})
