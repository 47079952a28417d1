import { defineTool, type Elicit } from 'taskwire/server'
import { z } from 'zod'

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

/** Asks for approval by a form with every kind of field that there is. What is published is published once. */
export const releaseTrailer = defineTool({
  name: 'release_trailer',
  title: 'Release the trailer',
  description: 'Builds the trailer, asks for approval, publishes it.',
  inputSchema: z.object({}),
  taskSupport: 'required',
  onOrphan: 'retry',
  async handler(_, { progress, elicit, once, sleep }) {
    await progress('Cutting the trailer together')
    await sleep(1500)
    const answer = await elicit({
      mode: 'form',
      message: 'The trailer is cut. Release it?',
      requestedSchema: {
        type: 'object',
        properties: {
          reason: { type: 'string', title: 'Reason', description: 'Goes into the log.', minLength: 3, maxLength: 80 },
          channel: { type: 'string', title: 'Channel', enum: ['festival', 'cinemas', 'online'], default: 'festival' },
          copies: { type: 'integer', title: 'Copies', minimum: 1, maximum: 12, default: 3 },
          embargo: { type: 'boolean', title: 'Hold it back until Friday', default: true },
          regions: {
            type: 'array',
            title: 'Regions',
            items: { type: 'string', enum: ['Europe', 'North America', 'Asia Pacific'] },
            minItems: 1,
            default: ['Europe'],
          },
        },
        required: ['reason', 'channel', 'regions'],
      },
    })
    if (answer.action !== 'accept') return text('Nothing was released: the approval was declined.')
    await progress(`Sending it to ${answer.content['channel']}`)
    await sleep(2000)
    const number = await once('publish', () => ++releases)
    return text(`Released to ${answer.content['channel']}, ${answer.content['copies']} copies (release ${number}).`)
  },
})

let releases = 0

/** Asks two things at once; either may be answered first. */
export const bookReview = defineTool({
  name: 'book_review',
  title: 'Book a review',
  description: 'Asks for a room and for a day, at once.',
  inputSchema: z.object({}),
  taskSupport: 'required',
  onOrphan: 'retry',
  async handler(_, { elicit }) {
    const [room, time] = await Promise.all([
      choose(elicit, 'Which room is the review in?', 'Room', ['Screening room', 'Edit suite', 'Roof']),
      choose(elicit, 'When is the review?', 'Day', ['Today', 'Tomorrow', 'Next week']),
    ])
    return text(room && time ? `Booked: ${room}, ${time.toLowerCase()}.` : 'Nothing was booked.')
  },
})

/** Asks to visit a page, as a sign-in does. */
export const linkFestival = defineTool({
  name: 'link_festival',
  title: 'Link the festival',
  description: 'Asks to visit a page of the festival.',
  inputSchema: z.object({ origin: z.url() }),
  taskSupport: 'required',
  onOrphan: 'retry',
  async handler({ origin }, { progress, elicit, sleep }) {
    const url = new URL('linked.html', origin).href
    const answer = await elicit({ mode: 'url', message: 'Confirm the link on the festival’s page.', url })
    if (answer.action !== 'accept') return text('The account was not linked.')
    await progress('Waiting for the confirmation')
    await sleep(1500)
    return text('The festival account is linked.')
  },
})

/** Never stops asking: what only `cancel` ends. */
export const askProducer = defineTool({
  name: 'ask_producer',
  title: 'Ask the producer',
  description: 'Asks again, whatever the answer is.',
  inputSchema: z.object({}),
  taskSupport: 'required',
  onOrphan: 'retry',
  async handler(_, { elicit, signal }) {
    for (let round = 1; !signal.aborted; round += 1) {
      await choose(elicit, `Is the ending final? (${round})`, 'Answer', ['Yes', 'Quite', 'Absolutely'])
    }
    return text('The producer is content.')
  },
})

async function choose(elicit: Elicit, message: string, title: string, choices: string[]): Promise<string | undefined> {
  const requestedSchema = {
    type: 'object' as const,
    properties: { choice: { type: 'string' as const, title, enum: choices } },
    required: ['choice'],
  }
  const answer = await elicit({ mode: 'form', message, requestedSchema })
  return answer.action === 'accept' ? String(answer.content['choice']) : undefined
}
