import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'

const sendNewsletter = defineTool({
  name: 'send_newsletter',
  description: 'Collects the readers, asks for the subject, sends.',
  inputSchema: z.object({}),
  taskSupport: 'required',
  async handler(_, { progress, elicit, sleep }) {
    await progress('Collecting the readers')
    await sleep(2000)
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
    if (answer.action !== 'accept')
      return { content: [{ type: 'text', text: 'Nothing was sent.' }] }
    await progress('Sending')
    await sleep(2000)
    return {
      content: [
        {
          type: 'text',
          text: `Sent “${answer.content?.['subject']}” to 1,200 readers.`,
        },
      ],
    }
  },
})

export const server = createTaskServer({
  serverInfo: { name: 'newsletter', version: '1.0.0' },
  tools: [sendNewsletter],
})
