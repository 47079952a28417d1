import { ProtocolError } from '@modelcontextprotocol/server'
import {
  createTaskServer,
  defineTool,
  InMemoryTaskStore,
} from 'taskwire/server'
import { z } from 'zod'

const regions = ['Africa', 'America', 'Asia', 'Europe', 'Oceania']

const generateReport = defineTool({
  name: 'generate_report',
  description: 'Adds up the sales of a quarter. Takes ten seconds.',
  inputSchema: z.object({ quarter: z.enum(['Q1', 'Q2', 'Q3', 'Q4']) }),
  taskSupport: 'optional',
  async handler({ quarter }, { progress, sleep }) {
    if (quarter === 'Q4')
      throw new ProtocolError(-32050, 'There are no sales of Q4 yet.')
    for (const [done, region] of regions.entries()) {
      await progress(done, regions.length, `Adding up ${region}`)
      await sleep(2000)
    }
    return {
      content: [
        {
          type: 'text',
          text: `${regions.length} regions sold 4,200 pieces in ${quarter}.`,
        },
      ],
    }
  },
})

// In development, each edit loads this file again. The tasks are kept.
const kept = globalThis as { tasks?: InMemoryTaskStore }
kept.tasks ??= new InMemoryTaskStore()

export const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [generateReport],
  store: kept.tasks,
})
