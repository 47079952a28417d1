import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'

const regions = ['Africa', 'America', 'Asia', 'Europe', 'Oceania']

const generateReport = defineTool({
  name: 'generate_report',
  description: 'Adds up the sales of a quarter. Takes ten seconds.',
  inputSchema: z.object({ quarter: z.enum(['Q1', 'Q2', 'Q3', 'Q4']) }),
  taskSupport: 'required',
  async handler({ quarter }, { progress, sleep }) {
    for (const [done, region] of regions.entries()) {
      await progress(done, regions.length, `Adding up ${region}`)
      await sleep(2000)
    }
    return {
      content: [
        { type: 'text', text: `4,200 pieces were sold in ${quarter}.` },
      ],
    }
  },
})

const sendNewsletter = defineTool({
  name: 'send_newsletter',
  description: 'Asks for the subject, and sends.',
  inputSchema: z.object({}),
  taskSupport: 'required',
  async handler(_, { elicit }) {
    const answer = await elicit({
      mode: 'form',
      message: 'Send it to 1,200 readers?',
      requestedSchema: {
        type: 'object',
        properties: {
          subject: { type: 'string', title: 'Subject', minLength: 3 },
        },
        required: ['subject'],
      },
    })
    const text = answer.action === 'accept' ? 'Sent.' : 'Nothing was sent.'
    return { content: [{ type: 'text', text }] }
  },
})

export const server = createTaskServer({
  serverInfo: { name: 'hooks', version: '1.0.0' },
  tools: [generateReport, sendNewsletter],
})
