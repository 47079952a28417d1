import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { Clock } from '../base/clock.js'
import { repeat } from '../base/repeat.js'
import type { Exchange } from './exchange.js'
import { HIGH_WATER_MARK, readSse, SSE_KEEP_ALIVE, sseEvent } from './sse.js'

/** How often a stream shows that it lives, in ms, and how long a call may take before its answer becomes one. */
const KEEP_ALIVE_MS = 15_000

/** The answer to one call. It is the response as it is, or a stream that ends with it. */
export interface Answer {
  /** Resolves when there is something to send. */
  readonly response: Promise<Response>
  /** Sends a message: the answer is a stream from then on. Does nothing once the response is there. */
  notify(message: JsonObject): void
  /** Ends the answer with what the call has come to. */
  end(outcome: Promise<Response>): Promise<void>
}

/** What an {@link Answer} is made of. */
export interface AnswerOptions {
  readonly clock: Clock
  /** Called when the client hangs up in the middle of the stream. */
  readonly onCancel: () => void
}

/** Refusals for load. In a stream, which has begun with 200, they would end the call for its client: it is broken off instead. */
const SEND_AGAIN: ReadonlySet<number> = new Set([429, 503])

/**
 * An answer that becomes a stream of server-sent events with the first notification, or after 15 s, for proxies end connections
 * on which nothing moves (MCP 2026-07-28, "Streamable HTTP: Sending Messages").
 *
 * ```
 * quick   .......... response as JSON
 * slow    .......... progress, progress, : keepalive, progress, response, end
 * ```
 */
export function createAnswer({ clock, onCancel }: AnswerOptions): Answer {
  const encoder = new TextEncoder()
  let resolve: (response: Response) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const response = new Promise<Response>((...settle) => {
    ;[resolve, reject] = settle
  })
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let isOver = false
  /** The newest progress, while there is no room for it. */
  let newest: string | undefined
  const stopKeepAlive = repeat(clock, KEEP_ALIVE_MS, () => write(SSE_KEEP_ALIVE))

  function write(frame: string): void {
    if (isOver) return
    if (controller === undefined) open()
    controller?.enqueue(encoder.encode(frame))
  }

  function open(): void {
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start(own) {
        controller = own
      },
      pull() {
        if (newest !== undefined) write(newest)
        newest = undefined
      },
      cancel() {
        isOver = true
        stopKeepAlive()
        onCancel()
      },
    }
    const stream = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_MARK }))
    resolve(new Response(stream, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' } }))
  }

  async function append(last: Response): Promise<void> {
    if (SEND_AGAIN.has(last.status)) throw new TypeError('The call was refused; it may be sent again.')
    if (!isEventStream(last)) {
      const text = await last.text()
      // Of a call whose client has hung up nothing is left to say.
      if (text !== '') write(sseEvent(JSON.parse(text)))
    } else if (last.body !== null) {
      for await (const frame of readSse(last.body.getReader())) write(frame)
    }
  }

  return {
    response,
    notify(message) {
      const frame = sseEvent(message)
      if (message['method'] !== 'notifications/progress') return write(frame)
      const hasRoom = controller === undefined || Number(controller.desiredSize) > 0
      newest = hasRoom ? undefined : frame
      if (hasRoom) write(frame)
    },
    async end(outcome) {
      try {
        const last = await outcome
        stopKeepAlive()
        if (controller === undefined && !isEventStream(last)) return resolve(last)
        if (controller === undefined) open()
        await append(last)
        if (!isOver) controller?.close()
      } catch (error) {
        reject(error)
        if (!isOver) controller?.error(error)
      } finally {
        stopKeepAlive()
        isOver = true
      }
    },
  }
}

/** The SDK streams to clients of earlier revisions: more may be said on that stream, for as long as it lasts. */
function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** True for calls of tools by clients that take a stream as the answer. */
export function isStreamable({ body, request }: Exchange): boolean {
  const accepts = request.headers.get('accept')?.includes('text/event-stream') === true
  return accepts && isJsonObject(body) && body['method'] === 'tools/call'
}
