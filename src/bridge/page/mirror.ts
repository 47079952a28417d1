import type { JsonObject } from '../../core/protocol/json.js'
import { shareMembers } from '../wire/decodeCall.js'
import { type Answer, type CallOnWire, type CallRef, type News, type Position, WIRE_VERSION } from '../wire/messages.js'

/** What news have changed. */
export interface Changes {
  /** True if everything was told: the backend may be another process. */
  readonly isWhole: boolean
  /** True if they are of another user than before. */
  readonly isOtherUser: boolean
  readonly calls: readonly (readonly [callId: string, wire: CallOnWire])[]
  readonly gone: readonly {
    readonly callId: string
    readonly isForgotten: boolean
    /** True if it is only not there: another process of the backend may have it. */
    readonly isMissing?: boolean
  }[]
}

/** What this page knows of its backend. */
export interface Mirror {
  /** Undefined before the first news. */
  readonly position: Position | undefined
  readonly user: string | undefined
  readonly connection: JsonObject | undefined
  /** What the news have said last of a call. */
  wireOf(callId: string): CallOnWire | undefined
  /** Takes news in. Undefined where something in between is missing. */
  take(news: News): Changes | undefined
  /** Everything that is known, for another tab. */
  snapshot(): News | undefined
}

/** True for an answer of another user's call than the news are of. */
export function isOfOther(answer: Answer | undefined, { user }: Pick<Mirror, 'user'>): boolean {
  return answer?.user !== undefined && user !== undefined && answer.user !== user
}

const NOTHING: Changes = { isWhole: false, isOtherUser: false, calls: [], gone: [] }

/** `idOf` returns the id that pages give a call. */
export function createMirror(idOf: (ref: CallRef) => string): Mirror {
  const wires = new Map<string, CallOnWire>()
  let last: Position | undefined
  let user: string | undefined
  let connection: JsonObject | undefined

  function takeCalls(news: News): Changes['calls'] {
    return news.calls.flatMap((call) => {
      const callId = idOf(call as unknown as CallRef)
      const known = wires.get(callId)
      const wire = shareMembers(known, call)
      if (wire === known) return []
      wires.set(callId, wire)
      return [[callId, wire] as const]
    })
  }

  return {
    get position() {
      return last
    },
    get user() {
      return user
    },
    get connection() {
      return connection
    },
    wireOf: (callId) => wires.get(callId),
    take(news) {
      const isOtherUser = user !== undefined && user !== news.user
      const isKnownEpoch = !isOtherUser && last?.epoch === news.epoch
      if (news.from !== undefined && (!isKnownEpoch || last === undefined || news.from > last.seq)) return undefined
      // Another tab may tell what this one knows already, or has known longer.
      if (isKnownEpoch && last !== undefined && news.seq < last.seq) return NOTHING
      last = { epoch: news.epoch, seq: news.seq }
      user = news.user
      connection = shareMembers(connection, news.connection ?? connection ?? {})
      const before = news.from === undefined ? [...wires.keys()] : []
      if (isOtherUser) wires.clear()
      const calls = takeCalls(news)
      const told = new Set(news.calls.map((call) => idOf(call as unknown as CallRef)))
      const missing = before
        .filter((callId) => isOtherUser || !told.has(callId))
        .map((callId) => ({ callId, isForgotten: isOtherUser, isMissing: !isOtherUser }))
      const gone = news.gone.map(({ call, isForgotten = false }) => ({ callId: idOf(call), isForgotten }))
      for (const { callId } of [...missing, ...gone]) if (!told.has(callId)) wires.delete(callId)
      return {
        isWhole: news.from === undefined,
        isOtherUser,
        calls,
        gone: [...missing, ...gone.filter(({ callId }) => !told.has(callId))],
      }
    },
    snapshot: () => {
      if (last === undefined || user === undefined) return undefined
      const known = { ...(connection && { connection }), calls: [...wires.values()], gone: [] }
      return { v: WIRE_VERSION, ...last, user, ...known }
    },
  }
}
