import { describe, expect, it, vi } from 'vitest'
import { readEvents } from './wireEvents.js'

/** What is read of a response that comes in these pieces. */
async function read(...pieces: string[]): Promise<string[]> {
  const data: string[] = []
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  await readEvents(new Response(body), new AbortController().signal, (each) => data.push(each))
  return data
}

describe('readEvents', () => {
  it.each<[what: string, pieces: string[], data: string[]]>([
    ['each event', ['data: a\n\ndata:b\n\n'], ['a', 'b']],
    ['an event in pieces', ['da', 'ta: a', 'b\n', '\n'], ['ab']],
    ['lines that end as on Windows', ['id: 1\r\ndata: a \r\n\r\n'], ['a']],
    ['data of several lines', ['data: a\ndata: b\n\n'], ['a\nb']],
    ['data that is empty', ['data:\n\n'], ['']],
    ['no event without data', [': keep-alive\n\nevent: ping\n\n'], []],
    ['no event that does not end', ['data: a\n'], []],
    ['no more than the end of an event that is too long', [`data: ${'a'.repeat(1 << 20)}`, '\n\ndata: b\n\n'], ['b']],
  ])('tells %s', async (_, pieces, data) => {
    expect(await read(...pieces)).toEqual(data)
  })

  it('tells nothing of a response without a body', async () => {
    const onData = vi.fn()
    await readEvents(new Response(null), new AbortController().signal, onData)
    expect(onData).not.toHaveBeenCalled()
  })

  it('ends with its signal, and gives the stream back', async () => {
    const closing = new AbortController()
    const remove = vi.spyOn(closing.signal, 'removeEventListener')
    let reading: Promise<void> | undefined
    await new Promise<unknown>((cancel) => {
      reading = readEvents(new Response(new ReadableStream({ cancel })), closing.signal, () => {})
      closing.abort()
    })
    await reading
    expect(remove).toHaveBeenCalledTimes(1)
  })

  it('ends without an error where the stream breaks off', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('broken')) })
    const onData = vi.fn()
    await expect(readEvents(new Response(body), new AbortController().signal, onData)).resolves.toBeUndefined()
    expect(onData).not.toHaveBeenCalled()
  })
})
