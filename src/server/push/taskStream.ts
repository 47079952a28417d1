import { SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server'
import { TaskError } from '../../core/protocol/errors.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { Clock } from '../base/clock.js'
import { repeat } from '../base/repeat.js'
import { HIGH_WATER_MARK, messageOf, readSse, SSE_KEEP_ALIVE, sseEvent } from '../http/sse.js'
import { toWireTask } from '../tasks/toWireTask.js'
import { createReaderPace } from './readerPace.js'
import type { TaskUpdates } from './taskUpdates.js'

/** What a stream of tasks is made of. */
export interface TaskStreamOptions {
  /** The response to the same `subscriptions/listen` so far: the SDK's, or that with other tasks in it. */
  readonly base: ReadableStream<Uint8Array>
  readonly subscriptionId: unknown
  readonly updates: TaskUpdates
  /** What the client has declared with the request. */
  readonly capabilities: unknown
  readonly clock: Clock
  /** Aborts when the client hangs up. */
  readonly signal: AbortSignal
  /** Called once, when the stream is over for whatever reason. */
  readonly onEnd?: () => void
}

/** As often as the SDK on streams of its own. */
const KEEP_ALIVE_MS = 15_000

/**
 * The SDK's stream with status notifications of tasks in it. Its acknowledgement names the tasks too, and its end waits
 * until nothing can come from either (SEP-2663, "Task Status Notifications").
 *
 * ```
 * SDK     ack                  resource updated                   end
 * tasks        state now, ...                   state, state           last state
 * client  ack, state now, ..., resource updated, state, state, ....... last state, end
 * ```
 *
 * Where the server closes before, `notifications/cancelled` comes right before the end.
 */
export function createTaskStream(options: TaskStreamOptions): ReadableStream<Uint8Array> {
  const { subscriptionId, updates, capabilities, clock, signal, onEnd } = options
  const base = options.base.getReader()
  const encoder = new TextEncoder()
  let isAcknowledged = false
  let end: string | undefined
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let stopKeepAlive = () => {}
  const pace = createReaderPace()

  const write = (frame: string) => controller?.enqueue(encoder.encode(frame))
  /** In bytes; below zero where more waits than should. */
  const room = () => controller?.desiredSize ?? 0

  function flush(): void {
    if (!isAcknowledged) return
    while (room() > 0) {
      const record = updates.next()
      if (record === undefined) break
      const { _meta, ...task } = toWireTask(record.task, capabilities)
      const meta = { ...(_meta as object | undefined), [SUBSCRIPTION_ID_META_KEY]: subscriptionId }
      const params = { ...task, _meta: meta }
      write(sseEvent({ jsonrpc: '2.0', method: 'notifications/tasks', params }))
    }
    if (end === undefined || !updates.isOver) return
    if (updates.isCut) write(sseEvent(cancelled(subscriptionId)))
    const last = end
    // To write is to be asked for more, which brings us back here.
    end = undefined
    write(last)
    close()
  }

  function writeOther(frame: string): void {
    if (pace.isTooMuch(frame.length, room())) cut()
    else write(frame)
  }

  function tick(): void {
    if (pace.hasGone(room())) return cut()
    if (room() > 0) write(SSE_KEEP_ALIVE)
    void updates.dropExpired(clock.now())
  }

  async function readBase(): Promise<void> {
    for await (const frame of readSse(base)) {
      const message = messageOf(frame)
      if (message?.['method'] === 'notifications/subscriptions/acknowledged') {
        write(sseEvent(withTaskIds(message, updates.taskIds)))
        isAcknowledged = true
      } else if (message !== undefined && 'id' in message) end = frame
      else writeOther(frame)
      flush()
    }
    // Without a last message, the SDK has broken off.
    if (end === undefined) close()
  }

  function release(): void {
    if (controller === undefined) return
    controller = undefined
    stopKeepAlive()
    updates.stop()
    signal.removeEventListener('abort', close)
    void ignoreRejection(base.cancel())
    onEnd?.()
  }

  function close(): void {
    controller?.close()
    release()
  }

  /** Lets go of everything that waits. Clients go on by polling. */
  function cut(): void {
    controller?.error(new TaskError('The stream was closed because it was not read.'))
    release()
  }

  return new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own
        // The client may have hung up while its tasks were looked for.
        if (signal.aborted) return close()
        stopKeepAlive = repeat(clock, KEEP_ALIVE_MS, tick)
        updates.onUpdate(flush)
        signal.addEventListener('abort', close)
        void readBase().catch(close)
      },
      pull() {
        pace.onCaughtUp()
        flush()
      },
      cancel: release,
    },
    { highWaterMark: HIGH_WATER_MARK, size: ({ byteLength }) => byteLength },
  )
}

/** Says that the server tears the subscription down, and not that no more can come (MCP, "Cancellation"). */
function cancelled(subscriptionId: unknown): JsonObject {
  const params = {
    requestId: subscriptionId,
    reason: 'The server is shutting down.',
    _meta: { [SUBSCRIPTION_ID_META_KEY]: subscriptionId },
  }
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params }
}

/** The response so far knows nothing of these tasks and leaves them out. */
function withTaskIds(ack: JsonObject, taskIds: readonly string[]): JsonObject {
  if (taskIds.length === 0) return ack
  const params = isJsonObject(ack['params']) ? ack['params'] : {}
  const honored = isJsonObject(params['notifications']) ? params['notifications'] : {}
  const others = Array.isArray(honored['taskIds']) ? honored['taskIds'] : []
  return { ...ack, params: { ...params, notifications: { ...honored, taskIds: [...others, ...taskIds] } } }
}
