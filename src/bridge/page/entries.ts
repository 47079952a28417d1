import { TaskCancelledError } from '../../core/protocol/errors.js'
import type { InputResponse } from '../../core/protocol/inputRequest.js'
import { isJsonObject } from '../../core/protocol/json.js'
import type { ToolCallMeta } from '../../core/protocol/register.js'
import { isOtherHash } from '../../core/record/argumentsHash.js'
import { isSame } from '../../core/record/show.js'
import type { InputResponseState, ToolCallState } from '../../core/record/toolCallState.js'
import { decodeCall } from '../wire/decodeCall.js'
import { type Answer, type CallOnWire, type CallRef, givenKey, type Position } from '../wire/messages.js'

/** A `tools/call` that this page has asked for. */
export interface OwnStart {
  readonly startedAt: number
  /** The news of a run that was started later than this are of this start. */
  readonly after: number
  /** The id of the request that asks for it. */
  readonly id: string
  /** What stands for its arguments; undefined where a call with any will do, or no other can have its key. */
  readonly argumentsHash: string | undefined
  /** When the run before was started, where this page knew of one. */
  readonly seen: number | undefined
  /** Once the backend has taken it: when the call was started there, and whether this page has made it. */
  readonly run?: number
  readonly isNew?: boolean
  readonly told?: Answer
  /** The life of the backend that has taken it. */
  readonly takenBy?: string
  readonly failureCount: number
  readonly lastError?: Error
}

/** The response to an input request, until the news have told what came of it. */
export interface OwnResponse {
  readonly response: InputResponse
  readonly state: InputResponseState
  readonly sent: Promise<void>
  readonly told?: Position
}

/** A cancellation, until the news have told what came of it. */
export interface OwnCancel {
  readonly id: string
  /** When it was asked for, in ms since the epoch. */
  readonly at: number
  readonly isRetrying: boolean
  readonly sent: Promise<void>
  readonly told?: Position
}

/** One run of a call, as this page knows it: what the backend says, and on top of it what was asked and not told yet. */
export interface Entry {
  readonly callId: string
  readonly name: string
  readonly ref: CallRef
  args: Readonly<Record<string, unknown>> | undefined
  /** What the app has noted with the call, in the page that has started it. */
  meta: ToolCallMeta | undefined
  wire: CallOnWire | undefined
  start: OwnStart | undefined
  /** Why it ended without the backend. */
  failure: { readonly error: Error; readonly endedAt: number } | undefined
  cancel: OwnCancel | undefined
  /** True once the backend has taken a cancellation by this page, or has answered that there is nothing to cancel. */
  isCancelled: boolean
  readonly responses: Map<string, OwnResponse>
  /** Resolves when the backend has answered to the start. */
  started: Promise<unknown>
  isFetching: boolean
  /** How many processes in a row did not know the call, or its outcome. */
  unknown: number
  /** True if somebody has asked for the outcome. */
  isWanted: boolean
  /** True if this page has seen it run: its end is news. */
  hasRun: boolean
  isOver: boolean
  /** True once it was forgotten: its start is not sent any longer. */
  isForgotten: boolean
  shown: ToolCallState
  readonly outcome: Promise<never>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

const NOTHING: Readonly<Record<string, never>> = {}

/** When the run was started that this page shows; undefined where the backend has not said that. */
export function runOf(entry: Entry): number | undefined {
  return entry.start?.run ?? (isAwaited(entry) ? undefined : entry.wire?.startedAt)
}

/** True until the backend has answered the start of the call by this page. */
export function isStartUnanswered({ start }: Entry): boolean {
  return start !== undefined && start.told === undefined
}

/** True while the backend has not said how the call is that this page has asked for. */
export function isAwaited({ start, wire, isOver }: Entry): boolean {
  if (start === undefined) return false
  const isUnsaid = wire !== undefined && (isInterrupted(wire) || (!isOver && isEndOfAny(start, wire)))
  if (wire === undefined || (start.told === undefined && isUnsaid)) return true
  if (start.run !== undefined) return wire.startedAt < start.run
  // Another device may have made a call of this key since: the backend says what that is to this one.
  return wire.startedAt <= start.after || isOtherHash(start.argumentsHash, wire.argumentsHash)
}

/** A process that has only read the record of a call cannot say whether it was made with these arguments: the answer to the start does. */
function isEndOfAny({ argumentsHash }: OwnStart, wire: CallOnWire): boolean {
  return argumentsHash !== undefined && wire.argumentsHash === undefined && wire['endedAt'] !== undefined
}

/** True once the backend has said that this run has a task. */
export function hasTask(entry: Entry): boolean {
  return entry.wire?.['task'] !== undefined && !isAwaited(entry)
}

/** A process that finds the call without its outcome lacks the arguments to send it again. The one that is asked to start it has them. */
export function isInterrupted(wire: CallOnWire | undefined): boolean {
  const error = wire?.['error']
  return isJsonObject(error) && error['name'] === 'ToolCallInterruptedError'
}

/** So many processes in a row that do not know a call have lost it. */
const MAX_UNKNOWN = 4

/** The same for a page that only watches the call. The page that has made it may have to come back before it asks for it again. */
const MAX_UNKNOWN_WATCHED = 16

/** True once it is no use to ask for the call any longer. */
export function isLost({ unknown, start }: Entry): boolean {
  return unknown >= (start === undefined ? MAX_UNKNOWN_WATCHED : MAX_UNKNOWN)
}

/**
 * True while a page that has seen the call run takes it for running: the page that has made it has the arguments to go on with it. That page
 * asks for it again at once, unless it is cancelling it: then another process may know more.
 *
 * ```text
 * process A  tools/call ─ killed
 * process B                      interrupted ─────────── tools/call, same key ─ task
 * its page   calling ··········· asks again ─────────────────────────────────── working
 * this page  calling ··········· calling, retrying ──────────────────────────── working
 * ```
 */
export function isDoubted(entry: Entry, wire: CallOnWire): boolean {
  const { start, cancel, hasRun, isOver } = entry
  return (start === undefined || cancel !== undefined) && hasRun && !isOver && isInterrupted(wire) && !isLost(entry)
}

/** True unless the backend has answered that another page had made the call. */
export function isOwn(start: OwnStart | undefined): start is OwnStart {
  return start !== undefined && (start.isNew === true || start.run === undefined)
}

/** A call as the store shows it. `network`: what keeps the news from coming; undefined where they come. */
export function showEntry(entry: Entry, network: 'retrying' | 'offline' | undefined): ToolCallState {
  const next = project(entry, network)
  const { shown } = entry
  return isSame(shown as object, next as object) ? shown : next
}

function project(entry: Entry, network: 'retrying' | 'offline' | undefined): ToolCallState {
  const { callId, name, ref, args, meta, start, failure, wire, cancel, responses, unknown } = entry
  const reached = network ?? (unknown > 0 ? 'retrying' : undefined)
  const cancelled: Pick<ToolCallState, 'isCancelling' | 'cancelStatus'> | undefined = cancel && {
    isCancelling: true,
    cancelStatus: cancel.isRetrying ? 'retrying' : 'sending',
  }
  const quiet = {
    callId,
    name,
    ...('key' in ref && givenKey(ref.key)),
    ...(meta && { meta }),
    ...(args && { arguments: args }),
    startedAt: start?.startedAt ?? wire?.startedAt ?? 0,
    inputRequests: NOTHING,
    inputResponses: NOTHING,
    isCancelling: false,
    network: 'ok' as const,
    failureCount: 0,
  }
  if (failure !== undefined)
    return { ...quiet, phase: failure.error instanceof TaskCancelledError ? 'cancelled' : 'failed', ...failure }
  const state = wire !== undefined && !isAwaited(entry) ? decodeCall(wire, callId) : undefined
  if (state === undefined) {
    const { failureCount = 0, lastError } = start ?? {}
    const trouble: Pick<ToolCallState, 'network' | 'failureCount' | 'lastError'> = {
      network: reached ?? (failureCount > 0 ? 'retrying' : 'ok'),
      failureCount,
      ...(lastError && { lastError }),
    }
    return { ...quiet, ...cancelled, ...trouble, phase: 'calling' as const }
  }
  // What this page has asked for is shown with the time of this page.
  const own = { ...(args && { arguments: args }), ...(isOwn(start) && { startedAt: start.startedAt }) }
  if (state.endedAt !== undefined) return { ...state, ...own }
  const answered = [...responses].filter(([key]) => Object.hasOwn(state.inputRequests, key))
  return {
    ...state,
    ...own,
    ...cancelled,
    ...(reached && { network: reached }),
    ...(answered.length > 0 && {
      inputResponses: Object.fromEntries([
        ...Object.entries(state.inputResponses),
        ...answered.map(([key, response]) => [key, response.state]),
      ]),
    }),
  }
}

/** A run of a call that this page knows nothing about yet. */
export function createEntry(
  known: Pick<Entry, 'callId' | 'name' | 'ref'> & Partial<Pick<Entry, 'args' | 'meta' | 'wire' | 'start'>>,
): Entry {
  let resolve: Entry['resolve'] = () => {}
  let reject: Entry['reject'] = () => {}
  const outcome = new Promise<never>((done, failed) => {
    resolve = done as Entry['resolve']
    reject = failed
  })
  // Without a caller that waits, a rejection must not count as unhandled.
  outcome.catch(() => {})
  const entry = {
    args: undefined,
    meta: undefined,
    wire: undefined,
    start: undefined,
    failure: undefined,
    cancel: undefined,
    isCancelled: false,
    responses: new Map(),
    started: Promise.resolve(),
    isFetching: false,
    unknown: 0,
    isWanted: false,
    hasRun: false,
    isOver: false,
    isForgotten: false,
    ...known,
    outcome,
    resolve,
    reject,
  }
  return Object.assign(entry, { shown: project(entry as unknown as Entry, undefined) })
}
