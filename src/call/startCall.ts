import { asError } from '../protocol/asError.js'
import { PageOutdatedError, TaskExpiredError, ToolCallInterruptedError } from '../protocol/errors.js'
import { isTerminal, type Task } from '../protocol/task.js'
import { isOtherHash } from '../storage/argumentsHash.js'
import { recordedTask, type ToolCallRecord } from '../storage/toolCallRecord.js'
import { isTracked, type Outcome } from './call.js'
import type { CallEntry } from './callEntry.js'
import { recordOf } from './callRecord.js'
import type { CallRuntime } from './callRuntime.js'
import type { CallTabs } from './callTabs.js'
import { type CallEnd, type CallLock, lockCall } from './lockCall.js'
import { planStart, type Wish } from './planStart.js'
import { type SendContext, sendCall } from './sendCall.js'
import type { TaskPort } from './taskPort.js'

export interface StartContext extends SendContext {
  readonly runtime: CallRuntime
  readonly port: TaskPort
  /** Reads what another page has left of a call. */
  readonly readFound: (callId: string) => Promise<ToolCallRecord | undefined>
  readonly tabs: CallTabs
}

/** The key belongs to a call with other arguments. */
interface Conflict {
  readonly conflict: ToolCallRecord | undefined
}

/** How a call ended that did not become a task in this page. */
interface StartEnd {
  readonly outcome: Outcome
  /** True if the outcome came from another tab, which has posted it, or from a record. */
  readonly isForeign?: boolean
  readonly task?: Task
}

export interface StartOptions {
  readonly entry: CallEntry
  readonly wish: Wish
  /** The task that this page knows to be lost; its record still says that it is at work. */
  readonly lostTaskId?: string | undefined
  /** Called where the key belongs to a call with other arguments. Returns true if this one must not be taken for it. */
  readonly isRefused: () => boolean
  /** Called when this call was refused for that reason, with the record of the other one where there is one. */
  readonly onConflict: (kept: ToolCallRecord | undefined) => void
  /** Called with where to report that another tab has made the call, while this tab waits for it; with undefined after. */
  readonly onWaiting: (settle: ((end: CallEnd) => void) | undefined) => void
}

/**
 * Makes a call, unless another page has made it, and leads it to its task or its outcome.
 *
 * ```text
 * lock ▶ write intent ▶ tools/call ▶ result ─────────────────────────────▶ remove record ▶ settled
 *                             └────▶ task ▶ write record ▶ poll … terminal ▶ keep record  ▶ settled
 * a page that goes away leaves:      intent: interrupted   record: followed again
 *                                    or sent again, where the server knows its key
 * another tab with the same key:     waits for the lock    finds the record and follows, too
 * ```
 */
export async function startCall(options: StartOptions, context: StartContext): Promise<void> {
  const { entry } = options
  const { runtime } = context
  if (entry.left !== undefined) return
  const controller = new AbortController()
  entry.start = controller
  let end: StartEnd | undefined
  try {
    const found = entry.call.key === undefined ? undefined : await findCall(options, context, controller.signal)
    if (found !== undefined && 'conflict' in found) {
      entry.unlock?.()
      return options.onConflict(found.conflict)
    }
    if (found === undefined || 'intent' in found) end = await makeCall(entry, context, controller.signal, found?.intent)
    else if ('outcome' in found) end = { ...found, isForeign: true }
    else end = followFound(entry, found.record, context, controller.signal)
  } catch (error) {
    // What another version has recorded is for the other tabs to read by themselves.
    end = { outcome: { error: asError(error) }, isForeign: error instanceof PageOutdatedError }
  }
  entry.start = undefined
  if (end !== undefined && entry.left === undefined) await runtime.settle(entry, end.outcome, end.isForeign, end.task)
  entry.unlock?.()
}

/**
 * What another page has left of the call; undefined: this page is to make it. `intent`: to send it again. `conflict`: what
 * there is has other arguments.
 */
async function findCall(
  { entry, wish, lostTaskId, isRefused, onWaiting }: StartOptions,
  { tabs, readFound, port }: StartContext,
  signal: AbortSignal,
): Promise<CallEnd | { readonly intent: ToolCallRecord } | Conflict | undefined> {
  const { callId, name, argumentsHash } = entry.call
  const locked = await lock(tabs, callId, signal, wish, onWaiting)
  if (!('unlock' in locked)) {
    const conflict = 'record' in locked ? locked.record : undefined
    const known = 'record' in locked ? locked.record : locked
    return isOtherHash(known.argumentsHash, argumentsHash) && isRefused() ? { conflict } : locked
  }
  entry.unlock = once(locked.unlock)
  if (wish === 'call-again') return undefined
  const found = await readFound(callId)
  if (found === undefined) return undefined
  const known = found.task?.taskId === lostTaskId ? asEnded(found) : found
  const isIntent = known.task === undefined && known.idempotencyKey === undefined
  const isRepeatable = isIntent && wish === 'call' && entry.left === undefined && (await port.isRepeatable(name))
  const plan = planStart(known, wish, isRepeatable)
  if (plan !== 'call' && isOtherHash(found.argumentsHash, argumentsHash) && isRefused()) return { conflict: found }
  if (plan === 'repeat') return { intent: found }
  return plan === 'call' ? undefined : { record: found }
}

async function lock(
  tabs: CallTabs,
  callId: string,
  signal: AbortSignal,
  wish: Wish,
  onWaiting: StartOptions['onWaiting'],
): Promise<CallLock> {
  for (;;) {
    const pending = lockCall(tabs, callId, signal)
    onWaiting(pending.settle)
    try {
      const locked = await pending.lock
      // A call that is made in any case waits for the other tab all the same: one at a time.
      if ('unlock' in locked || wish !== 'call-again') return locked
    } finally {
      onWaiting(undefined)
    }
  }
}

/** The record still says `working`; only this page knows that the server lost the task. */
function asEnded(found: ToolCallRecord): ToolCallRecord {
  return found.task === undefined ? found : { ...found, task: { ...found.task, status: 'failed' } }
}

/** Goes on with what another page has made of the call. */
function followFound(
  entry: CallEntry,
  found: ToolCallRecord,
  { runtime }: StartContext,
  signal: AbortSignal,
): StartEnd | undefined {
  const { callId, name } = entry.call
  const { task, startedAt, era, argumentsHash } = found
  runtime.dispatch(entry, { type: 'found', startedAt })
  if (task === undefined) throw new ToolCallInterruptedError(name, { callId })
  entry.unlock?.()
  if (task.lost !== undefined) {
    const error = new TaskExpiredError(task.lost.reason, { taskId: task.taskId, callId })
    return { outcome: { error }, isForeign: true, task: recordedTask(task) }
  }
  runtime.dispatch(entry, { type: 'adopted', task, startedAt, era, argumentsHash })
  resumeCancel(entry, runtime, signal.aborted)
  return undefined
}

/** A cancellation that an earlier page may not have got through, or that was asked for before there was a task. */
export function resumeCancel(entry: CallEntry, runtime: CallRuntime, isWanted = false): void {
  const { call } = entry
  if (!isTracked(call) || isTerminal(call.task.status)) return
  if (isWanted || call.cancel !== 'none') runtime.cancel(entry).catch(() => {})
}

async function makeCall(
  entry: CallEntry,
  context: StartContext,
  signal: AbortSignal,
  intent?: ToolCallRecord,
): Promise<StartEnd | undefined> {
  const { runtime, port, environment, owner, tabs } = context
  const { callId } = entry.call
  if (intent !== undefined) {
    entry.isRepeated = true
    runtime.dispatch(entry, { type: 'found', startedAt: intent.startedAt })
  }
  const response = await sendCall(entry, context, signal, intent?.idempotencyKey)
  if (response.type === 'result') return { outcome: { result: response.result } }
  runtime.dispatch(entry, { type: 'created', task: response.task, era: port.era })
  await entry.written
  if (entry.left !== undefined) return undefined
  tabs.postCall(callId, { type: 'created', record: recordOf(entry.call, owner, environment.now()) })
  entry.unlock?.()
  resumeCancel(entry, runtime, signal.aborted)
  return undefined
}

function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) action()
    isDone = true
  }
}
