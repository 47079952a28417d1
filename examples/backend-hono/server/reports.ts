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
  outputSchema: z.object({
    quarter: z.string(),
    regions: z.number(),
    pieces: z.number(),
  }),
  taskSupport: 'optional',
  async handler({ quarter }, { progress, elicit, sleep }) {
    if (quarter === 'Q4')
      throw new ProtocolError(-32050, 'There are no sales of Q4 yet.')
    for (const [done, region] of regions.entries()) {
      await progress(done, regions.length, `Adding up ${region}`)
      await sleep(2000)
    }
    if (quarter === 'Q2') {
      const answer = await elicit({
        mode: 'form',
        message:
          'Some returns of Q2 are still open. Make the report without them?',
        requestedSchema: { type: 'object', properties: {} },
      })
      // The tool has failed: the page gets this text with `isError`.
      if (answer.action !== 'accept') {
        return {
          isError: true,
          content: [
            {
              type: 'text',
              text: 'There is no report before the returns are counted.',
            },
          ],
        }
      }
    }
    const report = { quarter, regions: regions.length, pieces: 4200 }
    const text = `${report.regions} regions sold 4,200 pieces in ${quarter}.`
    return { content: [{ type: 'text', text }], structuredContent: report }
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
