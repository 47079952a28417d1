import type { TaskClient } from '../../core/client/taskClient.js'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { JsonObject } from '../../core/protocol/json.js'
import type { CompletedToolCall, ToolCallState } from '../../core/record/toolCallState.js'
import type { ConnectionState } from '../../core/wire/connection.js'
import { encodeCall, refOf } from '../wire/encodeCall.js'
import { type CallOnWire, type GoneCall, type NewsOnWire, type Position, WIRE_VERSION } from '../wire/messages.js'

export interface FeedOptions {
  readonly epoch: string
  readonly select: (call: CompletedToolCall) => CallToolResult
  /** Which calls pages see. */
  readonly shows: (call: ToolCallState) => boolean
}

/** News as JSON, made once for all readers that get them. */
export interface NewsText extends Position {
  /** The sequence number of the last news that the page has; undefined for a snapshot, which has everything. */
  readonly from: number | undefined
  readonly text: string
}

/** The messages to the pages of one user: the calls of the user's client, each change with a number. */
export interface Feed {
  readonly position: Position
  /**
   * What has changed since that number, or everything where it is not known which number the reader has. Readers that have come equally far get
   * the same object. Where nothing has changed, it is a sign of life.
   */
  newsSince(seq: number | undefined): NewsText
  /** The number that a reader has come to, from its `Last-Event-ID`; undefined where the past is gone, or never was. */
  readPosition(lastEventId: string | null): number | undefined
  /** The call with this id of the client, where pages see it. */
  get(callId: string): ToolCallState | undefined
  /** The same, as it is sent. */
  wireOf(callId: string): CallOnWire | undefined
  readonly callIds: readonly string[]
  /** Takes what has changed in the client in this turn, before its listeners are called. */
  update(): void
  /** `onChange` is called when there is news, `onEnd` when the client was closed. Returns a function that unsubscribes. */
  listen(onChange: () => void, onEnd: () => void): () => void
  readonly isOver: boolean
}

/** How many calls that have gone are remembered: a reader from before them gets everything. */
const MAX_GONE = 1000

interface FeedCall {
  readonly state: ToolCallState
  readonly seq: number
  wire?: CallOnWire
}

/**
 * The news of a client. What is kept is the newest state of each call, with the number of its last change: a reader that
 * was away, or is slow, gets each call that has changed meanwhile once, however often it has.
 */
export function createFeed(client: TaskClient, { epoch, select, shows }: FeedOptions): Feed {
  const calls = new Map<string, FeedCall>()
  const gone = new Map<string, { readonly seq: number; readonly item: GoneCall }>()
  const readers = new Set<{ readonly onChange: () => void; readonly onEnd: () => void }>()
  let seq = 0
  /** Of what has gone before, nothing is known. */
  let floor = 0
  let connection: { readonly state: ConnectionState; readonly seq: number } | undefined
  let isOver = false

  function remove(callId: string, state: ToolCallState, isForgotten: boolean): void {
    calls.delete(callId)
    seq += 1
    gone.set(callId, { seq, item: { call: refOf(state), isForgotten } })
    const [oldest] = gone
    if (gone.size <= MAX_GONE || oldest === undefined) return
    gone.delete(oldest[0])
    floor = oldest[1].seq
  }

  function end(): void {
    if (isOver) return
    isOver = true
    stop()
    stopForgotten()
    for (const { onEnd } of [...readers]) onEnd()
    readers.clear()
  }

  function update(): void {
    if (isOver) return
    const state = client.store.getState()
    const before = seq
    if (state.connection.status === 'closed') return end()
    for (const call of Object.values(state.calls)) {
      if (calls.get(call.callId)?.state === call || shows(call) !== true) continue
      seq += 1
      calls.set(call.callId, { state: call, seq })
      gone.delete(call.callId)
    }
    // What is left as it was has gone, or pages may not see it any longer.
    for (const [callId, { state: call }] of calls) if (state.calls[callId] !== call) remove(callId, call, false)
    if (connection?.state !== state.connection) {
      seq += 1
      connection = { state: state.connection, seq }
    }
    if (seq !== before) for (const { onChange } of [...readers]) onChange()
  }

  const stop = client.store.subscribe(update)
  const stopForgotten = client.onForgotten((isForgotten) => {
    const before = seq
    for (const [callId, { state }] of calls) if (isForgotten(callId)) remove(callId, state, true)
    if (seq !== before) for (const { onChange } of [...readers]) onChange()
  })
  update()

  function encoded(call: FeedCall): CallOnWire {
    call.wire ??= encodeCall(call.state, select)
    return call.wire
  }

  let last: NewsText | undefined

  function tellSince(from: number | undefined): NewsText {
    const since = from ?? -1
    const changed = [...calls.values()].filter((call) => call.seq > since).map(encoded)
    const left = from === undefined ? [] : [...gone.values()].flatMap((each) => (each.seq > since ? [each.item] : []))
    const news: NewsOnWire = {
      v: WIRE_VERSION,
      epoch,
      seq,
      user: client.id,
      ...(from !== undefined && { from }),
      ...(connection && connection.seq > since && { connection: connectionOnWire(connection.state) }),
      ...(changed.length > 0 && { calls: changed }),
      ...(left.length > 0 && { gone: left }),
    }
    return { epoch, seq, from, text: JSON.stringify(news) }
  }

  return {
    get position() {
      return { epoch, seq }
    },
    newsSince: (reached) => {
      // While a reader was slow, more calls may have gone than are remembered.
      const from = reached === undefined || reached < floor ? undefined : reached
      // Most readers have come to the same number, and get the same news.
      if (last === undefined || last.from !== from || last.seq !== seq) last = tellSince(from)
      return last
    },
    readPosition: (lastEventId) => {
      const [, theirs, digits] = /^(.*):(\d{1,15})$/.exec(lastEventId ?? '') ?? []
      const at = Number(digits)
      return theirs === epoch && at <= seq && at >= floor ? at : undefined
    },
    get: (callId) => calls.get(callId)?.state,
    wireOf: (callId) => {
      const call = calls.get(callId)
      return call && encoded(call)
    },
    get callIds() {
      return [...calls.keys()]
    },
    update,
    listen: (onChange, onEnd) => {
      const reader = { onChange, onEnd }
      readers.add(reader)
      return () => {
        readers.delete(reader)
      }
    },
    get isOver() {
      return isOver
    },
  }
}

/** Where the MCP server is and why it cannot be reached, errors say: they stay in the backend. */
function connectionOnWire({ error: _, eraReason: __, ...shown }: ConnectionState): JsonObject {
  return shown
}
