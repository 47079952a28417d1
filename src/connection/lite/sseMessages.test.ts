import { describe, expect, it } from 'vitest'
import { sseMessages } from './sseMessages.js'

const EVENTS = 'data: {"a":1}\n\n: still here\n\nevent: other\ndata: {"a":2}\n\ndata: no json\n\ndata: {"a":3}\n\n'

async function messagesOf(response: Response, signal = new AbortController().signal): Promise<unknown[]> {
  const messages: unknown[] = []
  for await (const message of sseMessages(response, signal)) messages.push(message)
  return messages
}

/** As `fetch` of React Native answers: with a text, and nothing to read it from as it comes. */
function withoutBody(text: () => Promise<string>): Response {
  return Object.defineProperties(new Response(), { body: { value: undefined }, text: { value: text } })
}

describe('sseMessages()', () => {
  it.each([
    ['that streams', new Response(EVENTS)],
    ['that does not stream', withoutBody(async () => EVENTS)],
  ])('yields the JSON of each message of a response %s', async (_, response) => {
    expect(await messagesOf(response)).toEqual([{ a: 1 }, { a: 3 }])
  })

  it('ends where the text of a response that does not stream breaks off', async () => {
    expect(await messagesOf(withoutBody(() => Promise.reject(new TypeError('Network request failed'))))).toEqual([])
  })
})
