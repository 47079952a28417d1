import { createServer, type RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'

const report = defineTool({
  name: 'generate_report',
  description: 'Writes the report of a quarter. Takes half a minute.',
  inputSchema: z.object({ quarter: z.enum(['Q1', 'Q2', 'Q3', 'Q4']) }),
  outputSchema: z.object({ title: z.string(), total: z.number() }),
  taskSupport: 'optional',
  async handler({ quarter }, { progress, sleep }) {
    const regions = ['Europe', 'Asia', 'America']
    for (const [done, region] of regions.entries()) {
      await progress(done, regions.length, `Adding up ${region}`)
      await sleep(10_000)
    }
    const title = `The report of ${quarter}`
    return {
      content: [{ type: 'text', text: title }],
      structuredContent: { title, total: 1234.5 },
    }
  },
})

const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [report],
  cors: true,
})

// The cast is for exactOptionalPropertyTypes; without that option it is not
// needed.
createServer(toNodeHandler(server) as RequestListener).listen(3000, '127.0.0.1')
