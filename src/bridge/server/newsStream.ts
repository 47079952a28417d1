import { TaskError } from '../../core/protocol/errors.js'
import { sseData } from '../../server/http/sse.js'
import type { Feed, NewsText } from './feed.js'
import { createNewsWriter, type NewsWriter, type NewsWriterOptions } from './newsWriter.js'

export interface NewsStreamOptions extends NewsWriterOptions {
  /** How much waits for a slow reader, in bytes. */
  readonly highWaterMark: number
  /** Aborts when the page hangs up. */
  readonly signal: AbortSignal
}

/** The news of a feed as server-sent events. */
export function createNewsStream(feed: Feed, options: NewsStreamOptions): ReadableStream<Uint8Array> {
  const { highWaterMark, signal, onEnd } = options
  const encoder = new TextEncoder()
  let writer: NewsWriter | undefined
  const close = () => writer?.close()

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const sink = {
          room: () => controller.desiredSize ?? 0,
          send: ({ epoch, seq, from, text }: NewsText) => {
            const id = from === seq ? '' : `id: ${epoch}:${seq}\n`
            controller.enqueue(encoder.encode(id + sseData(text)))
          },
          close: () => controller.close(),
          cut: () => controller.error(new TaskError('The stream was cut off: the page has not read it.')),
        }
        writer = createNewsWriter(feed, sink, {
          ...options,
          onEnd: () => {
            signal.removeEventListener('abort', close)
            onEnd()
          },
        })
        if (signal.aborted) close()
        else signal.addEventListener('abort', close)
      },
      pull: () => writer?.onTaken(true),
      cancel: () => writer?.release(),
    },
    { highWaterMark, size: ({ byteLength }) => byteLength },
  )
}
