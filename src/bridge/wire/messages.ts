import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/** The version of what page and backend say to each other. */
export const WIRE_VERSION = 1

/** The parameter of a WebSocket's URL that says where its news go on: a page cannot send headers with one. */
export const LAST_EVENT_ID = 'lastEventId'

/** What a page sends by a WebSocket: that it has taken a message, with the word in its member `take`, and a request for a sign of life. */
export const takenText = (take: unknown): string => `taken ${take}`
export const PING = 'ping'
export const PONG = 'pong'

/** How a call is named between page and backend: by tool and key, or by the id that the backend gave it. */
export type CallRef = { readonly name: string; readonly key: string } | { readonly id: string }

/** What the key begins with that a page makes up for a call that the app gave none. */
const MADE_UP = 'page:'

/** A key for a call that the app gave none: under it, the call is made once however often the page asks for it. */
export const makeKey = (randomId: string): string => MADE_UP + randomId

/** The key that the app gave a call. */
export function givenKey(key: unknown): { key?: string } {
  return typeof key === 'string' && !key.startsWith(MADE_UP) ? { key } : {}
}

/** An action that may arrive late. `run`: when the run was started that the page means; a later one is another device's. */
interface OfRun {
  readonly run?: number | undefined
}

/** What a page asks its backend for. */
export type PageAction =
  | {
      readonly type: 'start'
      readonly name: string
      readonly key: string
      readonly arguments?: Readonly<Record<string, unknown>>
      /** The app's own note on the call. */
      readonly meta?: JsonObject
      readonly repeat: 'never' | 'settled' | 'always'
      /** True if the call of that key counts whatever its arguments were. */
      readonly takesAny?: boolean
      /** When the call of that key was started that the page knows: a later one may be this very action, sent before. */
      readonly seen?: number
      /** How long ago the page has sent this for the first time, in ms: a call that was started before that is another one. */
      readonly ageMs?: number
      /** True if the backend took the call, and its processes have forgotten it: it is made again only if that does no harm. */
      readonly isLost?: boolean
      /** True if the page has joined a call that it watches: one that the backend does not know was forgotten, and is not made. */
      readonly joins?: boolean
    }
  | (OfRun & { readonly type: 'cancel'; readonly call: CallRef; readonly start?: CancelledStart })
  | (OfRun & {
      readonly type: 'respond'
      readonly call: CallRef
      readonly inputKey: string
      readonly response: JsonObject
    })
  /** Without a call, every call that the page may forget, and that was started when it asked. `ageMs`: how long ago it first asked, in ms. */
  | (OfRun & { readonly type: 'forget'; readonly call?: CallRef; readonly ageMs?: number })
  /** Fetches the outcome of a call that ended in an earlier life of the backend, or what became of one that another life has taken. */
  | { readonly type: 'resume'; readonly call: CallRef }
  /** Connects the client of the backend to its MCP server. */
  | { readonly type: 'connect' | 'listTools' }

/** A start that was cancelled before the backend has answered it. */
export interface CancelledStart {
  /** The id of the request with the start. */
  readonly id: string
  /** When the call of that key was started that the page knew: the start has made a later one, or none. */
  readonly seen?: number
  /** How long ago the page has cancelled it, in ms. */
  readonly ageMs: number
  /** How long ago the page has asked for it, in ms, where the page does not know of which user: an earlier call of that key may be of another one. */
  readonly sinceMs?: number
}

/** The body of a POST. */
export interface PageRequest {
  readonly v: typeof WIRE_VERSION
  /** Of the page's own: a request with the id of an earlier one does nothing, and is answered with what has come of that one. */
  readonly id: string
  /** Whose calls the page shows, as the backend has named the user; undefined where the page knows none yet. */
  readonly user?: string
  readonly isRepeated?: boolean
  /** The life of the backend whose news the page reads; undefined where it reads none yet. */
  readonly epoch?: string
  readonly action: PageAction
}

/** A position in the stream of changes from a backend. */
export interface Position {
  /** Identifies the stream of one client at the backend. `seq` counts within that stream only. */
  readonly epoch: string
  readonly seq: number
}

/** The answer to an action. The stream of this life has told by `seq` what came of it. */
export interface Answer extends Position {
  /** Of the call that was started, or joined. */
  readonly startedAt?: number
  /** True if the action has made the call. */
  readonly isNew?: boolean
  readonly tools?: readonly JsonObject[]
  /** How the call is, for a page that reads the news of another life. */
  readonly call?: CallOnWire
  /** Whose call it is, for the same page: it may not have heard who is signed in. */
  readonly user?: string
}

/** A call that the backend shows no longer. */
export interface GoneCall {
  readonly call: CallRef
  readonly isForgotten?: boolean
}

/**
 * A call as it is sent: the state of `ToolCallState` as JSON, without arguments and task id. `argumentsHash`: what stands for the
 * arguments, from the process that has them.
 */
export type CallOnWire = JsonObject & {
  readonly name: string
  readonly startedAt: number
  readonly phase: string
  readonly argumentsHash?: string
}

/** What the stream brings: all that is known where `from` is undefined, else what has changed since. */
export interface News extends Position {
  readonly v: typeof WIRE_VERSION
  readonly user: string
  readonly from?: number
  readonly connection?: JsonObject
  readonly calls: readonly CallOnWire[]
  readonly gone: readonly GoneCall[]
}

/** The same in a message, where lists that would be empty are left out. */
export type NewsOnWire = Omit<News, 'calls' | 'gone'> & Partial<Pick<News, 'calls' | 'gone'>>

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isText = (value: unknown): value is string => typeof value === 'string'

/** The reference, or undefined if the value is something else. */
export function readCallRef(value: unknown): CallRef | undefined {
  if (!isJsonObject(value)) return undefined
  const { id, name, key } = value
  if (isText(name) && isText(key)) return { name, key }
  return isText(id) ? { id } : undefined
}

/** The news, or undefined if the value is something else. */
export function readNews(value: unknown): News | undefined {
  if (!isJsonObject(value) || value['v'] !== WIRE_VERSION) return undefined
  const { epoch, seq, user, from, connection, calls = [], gone = [] } = value
  if (!isText(epoch) || !isNumber(seq) || !isText(user) || !Array.isArray(calls) || !Array.isArray(gone))
    return undefined
  return {
    v: WIRE_VERSION,
    epoch,
    seq,
    user,
    ...(isNumber(from) && { from }),
    ...(isJsonObject(connection) && { connection }),
    calls: calls.filter(isCallOnWire),
    gone: gone.flatMap((item) => {
      const call = isJsonObject(item) ? readCallRef(item['call']) : undefined
      return call === undefined ? [] : [{ call, isForgotten: item.isForgotten === true }]
    }),
  }
}

function isCallOnWire(value: unknown): value is CallOnWire {
  return (
    isJsonObject(value) &&
    isText(value['name']) &&
    isText(value['phase']) &&
    isNumber(value['startedAt']) &&
    (value['argumentsHash'] === undefined || isText(value['argumentsHash'])) &&
    readCallRef(value) !== undefined
  )
}

/** The answer, or undefined if the value is something else. */
export function readAnswer(value: unknown): Answer | undefined {
  if (!isJsonObject(value)) return undefined
  const { epoch, seq, startedAt, isNew, tools, call, user } = value
  if (!isText(epoch) || !isNumber(seq)) return undefined
  return {
    epoch,
    seq,
    ...(isNumber(startedAt) && { startedAt }),
    ...(isNew === true && { isNew }),
    ...(Array.isArray(tools) && { tools: tools.filter(isJsonObject) }),
    ...(isCallOnWire(call) && { call }),
    ...(isText(user) && { user }),
  }
}
