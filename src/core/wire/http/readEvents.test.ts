import { describe, expect, it, vi } from 'vitest'
import { readEvents } from './readEvents.js'

const EVENTS = 'data: {"a":1}\n\n: still here\n\nevent: other\ndata: {"a":2}\n\ndata: no json\n\ndata: {"a":3}\n\n'

async function messagesOf(response: Response, signal = new AbortController().signal): Promise<unknown[]> {
  const messages: unknown[] = []
  await readEvents(response, signal, (message) => messages.push(message) < 0)
  return messages
}

/** As `fetch` of React Native answers: with a text, and nothing to read it from as it comes. */
function withoutBody(text: () => Promise<string>): Response {
  return Object.defineProperties(new Response(), { body: { value: undefined }, text: { value: text } })
}

describe('readEvents()', () => {
  it.each([
    ['that streams', new Response(EVENTS)],
    ['that does not stream', withoutBody(async () => EVENTS)],
  ])('yields the JSON of each message of a response %s', async (_, response) => {
    expect(await messagesOf(response)).toEqual([{ a: 1 }, undefined, { a: 3 }])
  })

  it('ends where the text of a response that does not stream breaks off', async () => {
    expect(await messagesOf(withoutBody(() => Promise.reject(new TypeError('Network request failed'))))).toEqual([])
  })

  it('puts together a character that comes in two pieces', async () => {
    const bytes = new TextEncoder().encode('data: "ä"\n\n')
    const pieces = [bytes.slice(0, 8), bytes.slice(8)]
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = pieces.shift()
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
    })
    expect(await messagesOf(new Response(body))).toEqual(['ä'])
  })

  it('ends where a stream breaks off, with what has come', async () => {
    let reads = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        reads += 1
        if (reads === 1) controller.enqueue(new TextEncoder().encode('data: 1\n\n'))
        else controller.error(new TypeError('cut'))
      },
    })
    expect(await messagesOf(new Response(body))).toEqual([1])
  })

  /** A stream of one message that stays open, and how often it was closed. */
  function openStream() {
    const closes: unknown[] = []
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\ndata: 2\n\n')),
      cancel: (reason) => void closes.push(reason),
    })
    return { response: new Response(body), closes }
  }

  it('closes the stream at the message that ends it, reads none of the rest, and no longer listens to the signal', async () => {
    const { response, closes } = openStream()
    const { signal } = new AbortController()
    const stopListening = vi.spyOn(signal, 'removeEventListener')
    const messages: unknown[] = []
    await readEvents(response, signal, (message) => messages.push(message) > 0)
    expect(messages).toEqual([1])
    expect(closes).toHaveLength(1)
    expect(stopListening).toHaveBeenCalled()
  })

  it('closes the stream and ends when the signal aborts', async () => {
    const { response, closes } = openStream()
    const controller = new AbortController()
    const messages = messagesOf(response, controller.signal)
    controller.abort()
    expect(await messages).toEqual(expect.any(Array))
    expect(closes).toHaveLength(1)
  })
})
