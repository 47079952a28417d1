import { defineTool, type TaskContext } from 'taskwire/server'
import { z } from 'zod'

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

/** Asks for approval by a form with every kind of field that there is. */
export const deploy = defineTool({
  name: 'deploy',
  title: 'Deploy',
  description: 'Builds, asks for approval, deploys.',
  inputSchema: z.object({}),
  taskSupport: 'required',
  async handler(_, { task, sleep }) {
    await task?.setStatus('Building')
    await sleep(1500)
    const answer = await task?.elicit({
      mode: 'form',
      message: 'Version 2.4.1 is built. Deploy it?',
      requestedSchema: {
        type: 'object',
        properties: {
          reason: { type: 'string', title: 'Reason', description: 'Goes into the log.', minLength: 3, maxLength: 80 },
          environment: { type: 'string', title: 'Environment', enum: ['staging', 'production'], default: 'staging' },
          replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 12, default: 3 },
          canary: { type: 'boolean', title: 'To one replica first', default: true },
          regions: {
            type: 'array',
            title: 'Regions',
            items: { type: 'string', enum: ['Europe', 'North America', 'Asia Pacific'] },
            minItems: 1,
            default: ['Europe'],
          },
        },
        required: ['reason', 'environment', 'regions'],
      },
    })
    if (answer?.action !== 'accept') return text('Nothing was deployed: the approval was declined.')
    await task?.setStatus(`Deploying to ${answer.content?.['environment']}`)
    await sleep(2000)
    return text(`Deployed to ${answer.content?.['environment']}, ${answer.content?.['replicas']} replicas.`)
  },
})

/** Asks two things at once; either may be answered first. */
export const bookMeeting = defineTool({
  name: 'book_meeting',
  title: 'Book a meeting',
  description: 'Asks for a room and for a time, at once.',
  inputSchema: z.object({}),
  taskSupport: 'required',
  async handler(_, { task }) {
    const [room, time] = await Promise.all([
      choose(task, 'Which room?', ['Aquarium', 'Library', 'Roof']),
      choose(task, 'When?', ['Today', 'Tomorrow', 'Next week']),
    ])
    return text(room && time ? `Booked: ${room}, ${time.toLowerCase()}.` : 'Nothing was booked.')
  },
})

/** Asks to visit a page, as a sign-in does. */
export const linkAccount = defineTool({
  name: 'link_account',
  title: 'Link an account',
  description: 'Asks to visit a page of the server.',
  inputSchema: z.object({ origin: z.url() }),
  taskSupport: 'required',
  async handler({ origin }, { task, sleep }) {
    const url = new URL('/linked.html', origin).href
    const answer = await task?.elicit({ mode: 'url', message: 'Confirm the link on the page of the server.', url })
    if (answer?.action !== 'accept') return text('The account was not linked.')
    await task?.setStatus('Waiting for the confirmation')
    await sleep(1500)
    return text('The account is linked.')
  },
})

/** Never stops asking: what only `cancel` ends. */
export const neverContent = defineTool({
  name: 'never_content',
  title: 'Never content',
  description: 'Asks again, whatever it is told.',
  inputSchema: z.object({}),
  taskSupport: 'required',
  async handler(_, { task, signal }) {
    for (let round = 1; !signal.aborted; round += 1) {
      await choose(task, `Are you sure? (${round})`, ['Yes', 'Quite', 'Absolutely'])
    }
    return text('Enough.')
  },
})

async function choose(task: TaskContext | undefined, message: string, choices: string[]): Promise<string | undefined> {
  const requestedSchema = {
    type: 'object' as const,
    properties: { choice: { type: 'string' as const, title: 'Choice', enum: choices } },
    required: ['choice'],
  }
  const answer = await task?.elicit({ mode: 'form', message, requestedSchema })
  return answer?.action === 'accept' ? String(answer.content?.['choice']) : undefined
}
