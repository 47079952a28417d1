import {
  ConnectionFailedError,
  PageOutdatedError,
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskUnreachableError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import { asFound, type Call, isDone, settledBy } from '../record/call.js'
import { type CallRecord, isLost } from '../record/record.js'
import { isSettled, type ToolCallState } from '../record/toolCallState.js'
import { abortError } from '../time/abort.js'
import { type CallEntry, createCallEntry, TOLD } from './entries.js'
import type { TaskRequests } from './requests.js'
import type { Runner } from './runner.js'

/** Where calls are shown. */
export interface CallStore {
  setCall(state: ToolCallState): void
  removeCall(callId: string): void
  /** True if somebody listens to this call. */
  isObserved(callId: string): boolean
  subscribeCall(callId: string, listener: () => void): () => void
}

/** The calls of this page: each once, by its id. */
export interface PageCalls {
  newCall(callId: string, name: string, options?: Partial<Call>): Call
  /** Puts a call in the place of the one with its id. */
  begin(call: Call): CallEntry
  /** Follows the task that a record names. */
  follow(record: CallRecord): CallEntry
  /** The same, instead of what the call has waited for or followed. */
  adopt(entry: CallEntry, record: CallRecord): void
  /** A call that ended in an earlier visit: its outcome is fetched, unless the server has lost its task. */
  open(record: CallRecord): CallEntry
  /** A call that has failed without being made in this page. */
  over(call: Call, error: Error, end: { endedAt: number; task?: Task | undefined; canRepeat?: boolean }): CallEntry
  interrupted(record: CallRecord): CallEntry
  /** Lists the call of a record, whose task has ended. */
  list(record: CallRecord): void
  /** The call that follows this task, or has followed it to its end. */
  findTask(taskId: string): CallEntry | undefined
  /** Notes that a call has settled: the oldest of those leave the store. */
  noteSettled(entry: CallEntry): void
  /** Follows the call no longer. The task goes on and its record stays. */
  leave(callId: string, reason: string): void
  /** The same, and takes it out of the store. */
  drop(callId: string): void
}

export function createPageCalls(
  run: Runner,
  store: CallStore,
  { resumeCancel }: Pick<TaskRequests, 'resumeCancel'>,
  startTime: () => number,
): PageCalls {
  const { calls, tabs } = run
  const ended = createEndedCalls(run, store, (callId) => drop(callId))

  function begin(call: Call): CallEntry {
    const { callId } = call
    tabs.open()
    ended.dropOld()
    leave(callId, 'The call was started again.')
    const entry = createCallEntry(call)
    calls.set(callId, entry)
    store.setCall(entry.shown)
    return entry
  }

  function leave(callId: string, reason: string): void {
    ended.delete(callId)
    const entry = calls.get(callId)
    calls.delete(callId)
    if (entry !== undefined && !isDone(entry.call) && entry.call.stage.name !== 'recorded')
      abandon(entry, abortError(reason))
  }

  /** Ends what is under way for a call: see `CallEntry`. */
  function abandon(entry: CallEntry, reason: Error): void {
    entry.call = { ...entry.call, stage: { name: 'left', reason } }
    entry.starting?.abort(reason)
    entry.left?.abort(reason)
    for (const { controller } of entry.pending?.values() ?? []) controller.abort()
    run.take(() => run.detach(entry))
    entry.reject(reason)
  }

  function drop(callId: string): void {
    leave(callId, 'The call was forgotten.')
    store.removeCall(callId)
  }

  function noteSettled({ call }: CallEntry): void {
    ended.note(call.key === undefined ? 'unkeyed' : 'keyed', call.callId)
  }

  function follow(record: CallRecord): CallEntry {
    const entry = begin(callOf(record))
    adopt(entry, record)
    return entry
  }

  function adopt(entry: CallEntry, record: CallRecord): void {
    const { task } = record
    if (task === undefined) return
    entry.starting?.abort(TOLD)
    run.change(entry, (call) => asFound(call, record))
    run.attach(entry, task, 'resumed')
    resumeCancel(entry)
  }

  function list(record: CallRecord): void {
    const { callId, task, startedAt } = record
    if (task === undefined) return
    const endedAt = task.lost?.at || task.snapshotAt || task.notedAt || startedAt
    begin({ ...callOf(record), stage: { name: 'recorded', record, endedAt } })
    ended.note('recorded', callId)
  }

  const over: PageCalls['over'] = (call, error, { endedAt, task, canRepeat = false }) => {
    const entry = begin({ ...call, stage: settledBy({ error }, endedAt, task, canRepeat) })
    entry.reject(error)
    noteSettled(entry)
    return entry
  }

  function open(record: CallRecord): CallEntry {
    const { callId, task } = record
    if (task?.lost === undefined || !isLost(task)) return follow(record)
    const error = new TaskExpiredError(task.lost.reason, { taskId: task.task.taskId, callId })
    return over(callOf(record), error, { endedAt: task.lost.at, task: task.task })
  }

  return {
    newCall: (callId, name, options) => callAt(callId, name, startTime(), options),
    begin,
    follow,
    adopt,
    over,
    open,
    interrupted: (record) => {
      const { callId, tool, startedAt, idempotencyKey } = record
      const error = new ToolCallInterruptedError(tool, { callId })
      return over(callOf(record), error, { endedAt: startedAt, canRepeat: idempotencyKey !== undefined })
    },
    list,
    findTask: (taskId) => {
      const followed = run.tasks.get(taskId)?.calls[0]
      if (followed !== undefined) return followed
      for (const entry of calls.values()) {
        const { shown, call } = entry
        if (call.stage.name === 'settled' && shown.task?.taskId === taskId && isReusable(shown, 'never')) return entry
      }
      return undefined
    },
    noteSettled,
    leave,
    drop,
  }
}

/** A call that is about to be made, or has been. */
function callAt(callId: string, name: string, startedAt: number, options: Partial<Call> = {}): Call {
  const { key, arguments: args, argumentsHash, meta, keepResult } = options
  const wish = 'call' as const
  return {
    callId,
    name,
    key,
    arguments: args,
    argumentsHash,
    meta,
    keepResult,
    startedAt,
    sent: 'no',
    progress: undefined,
    progressAt: 0,
    stage: { name: 'waiting', for: 'lock', wish, isCancelling: false },
  }
}

function callOf({ callId, tool, startedAt, ...how }: CallRecord): Call {
  return callAt(callId, tool, startedAt, how)
}

/** Which calls of this page have ended, with a key, without one, and in earlier visits. */
export interface EndedCalls {
  note(kind: 'keyed' | 'unkeyed' | 'recorded', callId: string): void
  delete(callId: string): void
  /** Drops those without a key that ended a while ago. Runs when a call starts, so no timer is needed. */
  dropOld(): void
}

/** How long a settled call without a key stays in the store, in ms: nothing can look it up again. */
const KEEP_SETTLED_MS = 5 * 60 * 1000

/** How many calls stay in the store once they have settled: so many with a key, without one, and of earlier visits. */
export const MAX_SETTLED = 200

function createEndedCalls(
  { calls, now }: Pick<Runner, 'calls' | 'now'>,
  store: Pick<CallStore, 'isObserved'>,
  drop: (callId: string) => void,
): EndedCalls {
  /** Their ids, in the order in which they ended. */
  const ended = { keyed: new Set<string>(), unkeyed: new Set<string>(), recorded: new Set<string>() }

  function dropOld(): void {
    const before = now() - KEEP_SETTLED_MS
    for (const callId of ended.unkeyed) {
      const { stage } = calls.get(callId)?.call ?? {}
      if (stage?.name === 'settled' && stage.endedAt > before) break
      if (!store.isObserved(callId)) drop(callId)
    }
  }

  /** The oldest go. What is asked for again is found by its record, if its outcome was that of a task. */
  function keepNewest(ids: Set<string>, callId: string): void {
    ids.delete(callId)
    ids.add(callId)
    for (const oldest of ids) {
      if (ids.size <= MAX_SETTLED) return
      if (!store.isObserved(oldest)) drop(oldest)
    }
  }

  return {
    note: (kind, callId) => keepNewest(ended[kind], callId),
    delete: (callId) => {
      for (const ids of Object.values(ended)) ids.delete(callId)
    },
    dropOld,
  }
}

/** Whether to call the tool again although a call with this key is known. */
export type Repeat = 'never' | 'settled' | 'always'

/**
 * Whether to return a call that is known instead of making another. An ended one counts, its failure
 * included, unless making the call again cannot run the tool twice: nothing was sent, the server
 * refused it, or its record still leads to the task.
 */
export function isReusable(state: ToolCallState, repeat: Repeat): boolean {
  if (!isSettled(state)) return repeat !== 'always'
  if (repeat !== 'never') return false
  const { error } = state
  return !(
    error instanceof ConnectionFailedError ||
    error instanceof PageOutdatedError ||
    error instanceof TaskConfigurationError ||
    error instanceof ToolCallRejectedError ||
    error instanceof TaskUnreachableError ||
    // A response to the `tools/call` itself that breaks the protocol is no proof that the tool did not run.
    (error instanceof TaskProtocolError && state.task !== undefined)
  )
}
