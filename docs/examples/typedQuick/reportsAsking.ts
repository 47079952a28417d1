import {
  createTaskServer,
  defineTool,
  InMemoryTaskStore,
} from 'taskwire/server'
import { z } from 'zod'

// #region tool
const report = defineTool({
  name: 'generate_report',
  description:
    'Asks for a title, and writes the report of a quarter. Takes twenty seconds.',
  inputSchema: z.object({ quarter: z.enum(['Q1', 'Q2', 'Q3', 'Q4']) }),
  outputSchema: z.object({ title: z.string(), total: z.number() }),
  taskSupport: 'optional',
  async handler({ quarter }, { progress, elicit, sleep }) {
    // A handler can ask at any point, and continues here with the answer.
    const answer = await elicit({
      message: `What is the title of the report for ${quarter}?`,
      requestedSchema: z.object({
        title: z.string().min(3).meta({ title: 'Title' }),
      }),
    })
    if (answer.action !== 'accept')
      return {
        isError: true,
        content: [{ type: 'text', text: 'A report needs a title.' }],
      }
    const regions = ['Africa', 'America', 'Asia', 'Europe']
    for (const [done, region] of regions.entries()) {
      await progress(done, regions.length, `Adding up ${region}`)
      await sleep(5000)
    }
    const { title } = answer.content
    return {
      content: [{ type: 'text', text: title }],
      structuredContent: { title, total: 1234.5 },
    }
  },
})
// #endregion tool

// In development, each edit loads this file again. The tasks are kept.
const kept = globalThis as { tasks?: InMemoryTaskStore }
kept.tasks ??= new InMemoryTaskStore()

export const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [report],
  store: kept.tasks,
})
