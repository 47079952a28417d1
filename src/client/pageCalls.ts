import { abortError } from '../call/abort.js'
import type { Call, CallIdentity } from '../call/call.js'
import type { CallEntry } from '../call/callEntry.js'
import type { CallRuntime } from '../call/callRuntime.js'
import type { CallEnd } from '../call/lockCall.js'
import { resumeCancel } from '../call/startCall.js'
import type { ToolCallRequest } from '../call/taskPort.js'
import { isSettled } from '../call/toolCallState.js'
import { TaskExpiredError } from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import { recordedTask, type ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Tabs } from '../tabs/createTabs.js'
import type { TaskClientStore } from './createStore.js'
import type { EndedCalls } from './endedCalls.js'
import { isReusable } from './isReusable.js'
import type { SettledCalls } from './settledCalls.js'
import type { ToolCall } from './taskClient.js'
import { toolCallHandle } from './toolCallHandle.js'

export interface PageCallsOptions {
  readonly runtime: CallRuntime
  readonly store: TaskClientStore
  readonly tabs: Pick<Tabs, 'open'>
  readonly ended: EndedCalls
  readonly settled: SettledCalls
  readonly now: () => number
  /** A time for the start of a call, ms since the epoch: later than all times before. */
  readonly startTime: () => number
}

/** The calls that this page makes or follows: each once, by its id. */
export interface PageCalls {
  readonly entries: ReadonlyMap<string, CallEntry>
  /** Where to report that another tab has made a call for which this one waits. */
  readonly waiting: Map<string, (end: CallEnd) => void>
  newCall(callId: string, name: string, key?: string, args?: ToolCallRequest['arguments']): Call
  /** Puts a call in the place of the one with its id. */
  begin(call: Call): CallEntry
  /** Follows the task that a record names. */
  follow(record: ToolCallRecord): CallEntry
  /** The same, instead of the task that the call has followed. */
  adopt(entry: CallEntry, record: ToolCallRecord): void
  /** A call that ended in an earlier visit: its outcome is fetched, unless the server has lost its task. */
  open(record: ToolCallRecord): CallEntry
  /** A call that has failed without being made in this page. */
  over(identity: CallIdentity & { readonly task?: Task }, error: Error, endedAt: number): CallEntry
  /** The call that follows this task, or has followed it to its end. */
  findTask(taskId: string): CallEntry | undefined
  handle(entry: CallEntry, signal?: AbortSignal): ToolCall
  /** A call that is not made, and is in no store. */
  refuse(call: Call, reason: unknown): ToolCall
  /** The ids of the calls of this page, and of those that are listed. */
  callIds(): string[]
  /** Follows the call no longer, and takes it out of the store. */
  drop(callId: string): void
}

export function createPageCalls(options: PageCallsOptions): PageCalls {
  const { runtime, store, ended, settled } = options
  const entries = new Map<string, CallEntry>()
  const waiting: PageCalls['waiting'] = new Map()

  function newCall(callId: string, name: string, key?: string, args?: ToolCallRequest['arguments']): Call {
    return { callId, name, key, arguments: args, startedAt: options.startTime(), stage: 'waiting', for: 'lock' }
  }

  function begin(call: Call): CallEntry {
    const { callId } = call
    options.tabs.open()
    settled.dropOld()
    leave(callId, 'The call was started anew.')
    const entry = runtime.create(call)
    entries.set(callId, entry)
    store.setCall(entry.shown)
    return entry
  }

  function leave(callId: string, reason: string): void {
    settled.delete(callId)
    ended.delete(callId)
    const entry = entries.get(callId)
    if (entry !== undefined && !isSettled(entry.shown)) runtime.leave(entry, abortError(reason))
    entries.delete(callId)
    waiting.delete(callId)
  }

  function follow(record: ToolCallRecord): CallEntry {
    const { argumentsHash, startedAt } = record
    const entry = begin({ ...newCall(record.callId, record.tool, record.key), argumentsHash, startedAt })
    adopt(entry, record)
    return entry
  }

  function adopt(entry: CallEntry, { task, startedAt, era, argumentsHash }: ToolCallRecord): void {
    if (task === undefined) return
    entry.cancelling = undefined
    runtime.dispatch(entry, { type: 'adopted', task, startedAt, era, argumentsHash })
    resumeCancel(entry, runtime)
  }

  function over(identity: CallIdentity & { readonly task?: Task }, error: Error, endedAt: number): CallEntry {
    const entry = begin({ ...identity, stage: 'settled', outcome: { error }, endedAt })
    entry.reject(error)
    settled.note(entry.call)
    return entry
  }

  return {
    entries,
    waiting,
    newCall,
    begin,
    follow,
    adopt,
    over,
    open: (record) => {
      const { callId, tool, key, argumentsHash, startedAt, task } = record
      if (task?.lost === undefined) return follow(record)
      const error = new TaskExpiredError(task.lost.reason, { taskId: task.taskId, callId })
      return over({ callId, name: tool, key, argumentsHash, startedAt, task: recordedTask(task) }, error, task.lost.at)
    },
    findTask: (taskId) => {
      for (const entry of entries.values()) {
        const { shown } = entry
        if (shown.task?.taskId === taskId && isReusable(shown, 'never')) return entry
      }
      return undefined
    },
    handle: (entry, signal) => toolCallHandle({ entry, runtime, store, observes: true, signal }),
    refuse: (call, reason) => {
      const error = reason instanceof Error ? reason : new Error(String(reason))
      const entry = runtime.create({ ...call, stage: 'settled', outcome: { error }, endedAt: options.now() })
      entry.left = error
      entry.reject(reason)
      return toolCallHandle({ entry, runtime, store, observes: false })
    },
    callIds: () => [...entries.keys(), ...ended.callIds()],
    drop: (callId) => {
      leave(callId, 'The call was forgotten.')
      store.removeCall(callId)
    },
  }
}
