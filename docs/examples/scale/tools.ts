import { defineTool } from 'taskwire/server'
import { z } from 'zod'

export const serverInfo = { name: 'reports', version: '1.0.0' }
export const tools = [
  defineTool({
    name: 'generate_report',
    description: 'Writes the report of a quarter. Takes half a minute.',
    inputSchema: z.object({ quarter: z.string() }),
    taskSupport: 'optional',
    // If a worker is lost, another one starts again: a second run does no harm.
    annotations: { idempotentHint: true },
    async handler({ quarter }, { progress, sleep }) {
      for (const region of ['Europe', 'Asia', 'America']) {
        await progress(`Collecting the figures of ${region}`)
        await sleep(10_000)
      }
      return { content: [{ type: 'text', text: `The report of ${quarter}` }] }
    },
  }),
]
