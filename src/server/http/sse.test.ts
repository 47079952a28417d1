import { describe, expect, it } from 'vitest'
import { messageOf, readSse, SSE_KEEP_ALIVE, sseEvent } from './sse.js'

async function read(chunks: Uint8Array[]): Promise<string[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const frames: string[] = []
  for await (const frame of readSse(stream.getReader())) frames.push(frame)
  return frames
}

const events = [sseEvent({ id: 1, result: { text: 'Grüße, 世界' } }), SSE_KEEP_ALIVE, sseEvent({ id: 2 })]
const bytes = new TextEncoder().encode(events.join(''))

describe('readSse', () => {
  it('gives every event and comment, however the bytes arrive', async () => {
    expect(await read([bytes])).toEqual(events)
    expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(events)
  })

  it('drops what breaks off', async () => {
    expect(await read([bytes.slice(0, -1)])).toEqual(events.slice(0, 2))
  })
})

describe('messageOf', () => {
  it('is what was sent', () => {
    expect(events.map(messageOf)).toEqual([{ id: 1, result: { text: 'Grüße, 世界' } }, undefined, { id: 2 }])
  })
})
