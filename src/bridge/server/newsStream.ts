import type { Environment } from '../../core/environment/environment.js'
import { TaskError } from '../../core/protocol/errors.js'
import { repeat } from '../../server/base/repeat.js'
import { sseEvent } from '../../server/http/sse.js'
import { createReaderPace } from '../../server/push/readerPace.js'
import { type News, WIRE_VERSION } from '../wire/messages.js'
import type { Feed } from './feed.js'

export interface NewsStreamOptions {
  readonly environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>
  /** The number that the reader has come to; undefined for everything. */
  readonly from: number | undefined
  readonly heartbeatMs: number
  /** How much waits for a slow reader, in bytes. */
  readonly highWaterMark: number
  /** Aborts when the page hangs up. */
  readonly signal: AbortSignal
  /** Called once, when the stream is over for whatever reason. */
  readonly onEnd: () => void
}

/**
 * The news of a feed as server-sent events. While more waits than a slow reader should have waiting, nothing is added: when
 * it reads, it gets the newest state of what has changed meanwhile. One that does not read at all is cut off.
 */
export function createNewsStream(feed: Feed, options: NewsStreamOptions): ReadableStream<Uint8Array> {
  const { environment, heartbeatMs, highWaterMark, signal, onEnd } = options
  const encoder = new TextEncoder()
  const pace = createReaderPace()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let reached = options.from
  let isBegun = false
  let stopListening = () => {}
  let stopHeartbeat = () => {}

  const room = () => controller?.desiredSize ?? 0

  function write(news: News): void {
    reached = news.seq
    isBegun = true
    controller?.enqueue(encoder.encode(`id: ${news.epoch}:${news.seq}\n${sseEvent({ ...news })}`))
  }

  function flush(): void {
    if (room() > 0 && (!isBegun || reached !== feed.position.seq)) write(feed.newsSince(reached))
  }

  function tick(): void {
    if (pace.hasGone(room())) return cut()
    const { epoch, seq } = feed.position
    if (room() > 0 && reached === seq)
      write({ v: WIRE_VERSION, epoch, seq, user: feed.user, from: seq, calls: [], gone: [] })
  }

  function release(): void {
    if (controller === undefined) return
    controller = undefined
    stopHeartbeat()
    stopListening()
    signal.removeEventListener('abort', close)
    onEnd()
  }

  function close(): void {
    controller?.close()
    release()
  }

  /** Lets go of everything that waits. A page that wakes up resumes with the number it has come to. */
  function cut(): void {
    controller?.error(new TaskError('The stream was cut off: the page has not read it.'))
    release()
  }

  return new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own
        if (signal.aborted || feed.isOver) return close()
        stopListening = feed.listen(flush, close)
        stopHeartbeat = repeat(environment, heartbeatMs, tick)
        signal.addEventListener('abort', close)
        flush()
      },
      pull() {
        pace.onCaughtUp()
        flush()
      },
      cancel: release,
    },
    { highWaterMark, size: ({ byteLength }) => byteLength },
  )
}
