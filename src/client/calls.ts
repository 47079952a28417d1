import { abortError, onAbort } from '../call/abort.js'
import { type Call, type CallIdentity, isTracked } from '../call/call.js'
import type { CallEntry } from '../call/callEntry.js'
import { recordOf } from '../call/callRecord.js'
import { type CallRuntime, type CallRuntimeOptions, createCallRuntime } from '../call/callRuntime.js'
import type { CallMessage } from '../call/callTabs.js'
import { isEqual } from '../call/isEqual.js'
import type { CallEnd } from '../call/lockCall.js'
import { planStart, type Wish } from '../call/planStart.js'
import { resumeCancel, startCall } from '../call/startCall.js'
import type { TaskMessage } from '../call/taskMessage.js'
import { isSettled, type ToolCallState } from '../call/toolCallState.js'
import { warnInDevelopment } from '../environment/warn.js'
import { TaskConfigurationError, TaskExpiredError, ToolCallInterruptedError } from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import type { RecordStore } from '../storage/recordStore.js'
import { isTaskOver, recordedTask, type TaskRecord } from '../storage/taskRecord.js'
import type { Tabs } from '../tabs/createTabs.js'
import { taskCallId, toolCallId } from './callIds.js'
import type { TaskClientStore } from './createStore.js'
import { createEndedCalls } from './endedCalls.js'
import { createForgotten } from './forgotten.js'
import { isReusable } from './isReusable.js'
import type { TaskReference, ToolCall, ToolCallOptions, ToolCallParams } from './taskClient.js'
import { toolCallHandle } from './toolCallHandle.js'

export interface CallsOptions
  extends Pick<
    CallRuntimeOptions,
    | 'port'
    | 'environment'
    | 'rules'
    | 'handlers'
    | 'owner'
    | 'createPush'
    | 'maxConcurrentPolls'
    | 'followsUnobserved'
    | 'onError'
  > {
  readonly records: RecordStore
  readonly store: TaskClientStore
  readonly tabs: Tabs
  /** Called when a call has ended. */
  readonly onSettled: (state: ToolCallState) => void
}

/** The calls of this page: each once, however often it is asked for. */
export interface Calls {
  start(params: ToolCallParams, options: ToolCallOptions): ToolCall
  resumeTask(task: TaskReference, options: Pick<ToolCallOptions, 'signal' | 'key'>): ToolCall
  resumeTasks(filter?: { callId?: string }): Promise<readonly ToolCall[]>
  get(callId: string): ToolCall | undefined
  forget(callId: string): Promise<void>
  forgetAll(scope: string | undefined): Promise<void>
  /** What another tab posts about a call. */
  receive(callId: string, message: CallMessage): void
  receiveTask(taskId: string, message: TaskMessage): void
  receiveForgotten(callId: string | undefined, at: number): void
  knownOf(taskId: string): readonly TaskMessage[]
  /** Resolves when what is known is written down. */
  close(): Promise<void>
}

/** How long a settled call without a key stays in the store, in ms: nothing can look it up again. */
const KEEP_SETTLED_MS = 5 * 60 * 1000

/** How many calls stay in the store once they have settled: so many with a key, and so many without. */
const MAX_SETTLED = 200

/** How long other tabs have to hand over the record of a call, in ms. */
const HAND_OVER_MS = 1000

export function createCalls(options: CallsOptions): Calls {
  const { environment, port, records, store, tabs, owner } = options
  const entries = new Map<string, CallEntry>()
  /** When the calls with a key, and those without, ended, in that order. */
  const settled = { keyed: new Map<string, number>(), unkeyed: new Map<string, number>() }
  const forgotten = createForgotten(environment.now)
  /** Where to report that another tab has made a call for which this one waits. */
  const waiting = new Map<string, (end: CallEnd) => void>()
  const closing = new AbortController()
  const ended = createEndedCalls(store)
  /** Called with the record of a call that another tab has, where this one has asked for it. */
  const wanted = new Map<string, (record: TaskRecord) => void>()

  const runtime: CallRuntime = createCallRuntime({
    ...options,
    onChange: ({ shown }) => store.setCall(shown),
    onPageShown: (entry) => void catchUp(entry),
    onSettled: ({ call, shown }) => {
      noteSettled(call)
      options.onSettled(shown)
    },
  })

  function newCall(callId: string, name: string, key?: string, args?: ToolCallParams['arguments']): Call {
    const identity = { callId, name, key, ...(args && { arguments: args }), startedAt: forgotten.startTime() }
    return { ...identity, stage: 'waiting', for: 'lock' }
  }

  function begin(call: Call): CallEntry {
    const { callId } = call
    tabs.open()
    dropSettled()
    for (const alike of [settled.keyed, settled.unkeyed]) alike.delete(callId)
    ended.delete(callId)
    leave(callId, 'The call was started anew.')
    const entry = runtime.create(call)
    entries.set(callId, entry)
    store.setCall(entry.shown)
    return entry
  }

  /** Follows the task that a record names. */
  function follow(record: TaskRecord): CallEntry {
    const entry = begin({ ...newCall(record.callId, record.tool, record.key), startedAt: record.startedAt })
    adopt(entry, record)
    return entry
  }

  /** A call that ended in an earlier visit: its outcome is fetched, unless the server has lost its task. */
  function open(record: TaskRecord): CallEntry {
    const { callId, tool, key, startedAt, task } = record
    if (task?.lost === undefined) return follow(record)
    const error = new TaskExpiredError(task.lost.reason, { taskId: task.taskId, callId })
    return over({ callId, name: tool, key, startedAt, task: recordedTask(task) }, error, task.lost.at)
  }

  /** A call that has failed without being made in this page. */
  function over(identity: CallIdentity & { readonly task?: Task }, error: Error, endedAt: number): CallEntry {
    const entry = begin({ ...identity, stage: 'settled', outcome: { error }, endedAt })
    entry.reject(error)
    noteSettled(entry.call)
    return entry
  }

  function adopt(entry: CallEntry, { task, startedAt, era }: TaskRecord): void {
    if (task === undefined) return
    delete entry.cancelling
    runtime.dispatch(entry, { type: 'adopted', task, startedAt, era })
    resumeCancel(entry, runtime)
  }

  function handle(entry: CallEntry, signal?: AbortSignal): ToolCall {
    return toolCallHandle({ entry, runtime, store, observes: true, signal })
  }

  /** A call that is not made, and is in no store. */
  function refuse(call: Call, reason: unknown): ToolCall {
    const error = reason instanceof Error ? reason : new Error(String(reason))
    const entry = runtime.create({ ...call, stage: 'settled', outcome: { error }, endedAt: environment.now() })
    entry.left = error
    entry.reject(reason)
    return toolCallHandle({ entry, runtime, store, observes: false })
  }

  /** The call that follows this task, or has followed it to its end. */
  function findTask(taskId: string): CallEntry | undefined {
    for (const entry of entries.values()) {
      if (
        entry.call.stage !== 'waiting' &&
        'task' in entry.call &&
        entry.call.task?.taskId === taskId &&
        isReusable(entry.shown, false)
      )
        return entry
    }
    return undefined
  }

  function noteSettled({ callId, key }: Call): void {
    const alike = key === undefined ? settled.unkeyed : settled.keyed
    alike.set(callId, environment.now())
    // The oldest go. What is asked for again is found by its record, if its outcome was that of a task.
    for (const oldest of alike.keys()) {
      if (alike.size <= MAX_SETTLED) return
      if (!store.isObserved(oldest)) drop(oldest)
    }
  }

  /** Without a timer, which would keep a page or a process busy for nothing: calls only pile up where calls are made. */
  function dropSettled(): void {
    const before = environment.now() - KEEP_SETTLED_MS
    for (const [callId, at] of settled.unkeyed) {
      if (at > before) break
      if (!store.isObserved(callId)) drop(callId)
    }
  }

  function leave(callId: string, reason: string): void {
    const entry = entries.get(callId)
    if (entry !== undefined) runtime.leave(entry, abortError(reason))
    entries.delete(callId)
    waiting.delete(callId)
  }

  function allIds(): string[] {
    return [...entries.keys(), ...ended.callIds()]
  }

  function drop(callId: string): void {
    for (const alike of [settled.keyed, settled.unkeyed]) alike.delete(callId)
    ended.delete(callId)
    leave(callId, 'The call was forgotten.')
    store.removeCall(callId)
  }

  /**
   * A call was forgotten elsewhere, where its record was removed, too. What this page may have written since
   * goes as well, but not what belongs to a call made since:
   *
   * ```text
   * tab A  forgets ─ calls anew ─ task 2
   * tab B  frozen ····················· wakes ─ finds task 2 in storage ─ hears that the call was forgotten
   * ```
   */
  function dropForgotten(callId: string, at = Number.POSITIVE_INFINITY): void {
    const entry = entries.get(callId)
    const record = entry ? recordOf(entry.call, owner, environment.now()) : ended.get(callId)
    if (record === undefined) return
    const { startedAt } = record
    // A `startedAt` in the future was recorded before the clock was set back.
    if (startedAt > at && startedAt <= environment.now()) return
    drop(callId)
    void records.remove(callId, record)
  }

  /** A page in the back-forward cache receives no messages. What happened to the call meanwhile is in its record. */
  async function catchUp(entry: CallEntry): Promise<void> {
    const { callId } = entry.call
    if ('record' in entry.call && entry.call.record === 'kept' && !(await records.has(callId))) {
      if (entries.get(callId) === entry) dropForgotten(callId)
      return
    }
    await followInstead(entry)
  }

  /**
   * Another tab has made the call anew. Two that do so in the same moment agree on the task that is recorded:
   *
   * ```text
   * tab A  task 1 ▪ writes ── posts ───────── hears of task 2, reads task 2, follows it
   * tab B     task 2 ────── writes ▪ posts ── hears of task 1, reads task 2, stays
   * ```
   */
  async function followInstead(entry: CallEntry, posted?: TaskRecord): Promise<void> {
    const isOther = (record: TaskRecord | undefined): record is TaskRecord =>
      record?.task !== undefined && isFollowed(entry.call) && record.task.taskId !== entry.call.task.taskId
    if (!isFollowed(entry.call) || (posted !== undefined && !isOther(posted))) return
    const found = (await records.read(entry.call.callId)) ?? posted
    if (isOther(found)) adopt(entry, found)
  }

  /** True for a record of this server and account. */
  function isOwn(record: TaskRecord, callId: string): boolean {
    return record.callId === callId && record.endpoint === owner.endpoint && record.scope === owner.scope
  }

  async function dropAll(scope: string): Promise<void> {
    const own = scope === owner.scope ? allIds() : []
    for (const callId of own) drop(callId)
    // Each by itself, too: a record may still be on its way into a storage that takes its time.
    await Promise.all([records.clear(scope), ...own.map((callId) => records.remove(callId))])
  }

  /**
   * What earlier pages have left of a call. Where its task id names a session, that is in the tabs that follow the
   * task, and in no storage that others can read:
   *
   * ```text
   * tab A  follows the task ─────────────── posts the record
   * tab B       reads: held by others ─ asks ─────────────── follows, too
   * ```
   */
  async function readFound(callId: string): Promise<TaskRecord | undefined> {
    const found = await records.read(callId)
    if (found?.held === undefined) return found
    let release = () => {}
    const posted = await new Promise<TaskRecord | undefined>((resolve) => {
      const others = wanted.get(callId)
      wanted.set(callId, (record) => {
        others?.(record)
        resolve(record)
      })
      const timer = environment.setTimeout(() => resolve(undefined), HAND_OVER_MS)
      const unsubscribe = onAbort(closing.signal, () => resolve(undefined))
      release = () => {
        environment.clearTimeout(timer)
        unsubscribe()
      }
      tabs.postCall(callId, { type: 'wanted' })
    })
    release()
    wanted.delete(callId)
    return posted ?? (found.held === 'ended' ? undefined : found)
  }

  /** Posts the record of a call to a tab that cannot read it. */
  function handOver({
    call,
    record = isTracked(call) ? recordOf(call, owner, environment.now()) : undefined,
  }: CallEntry): void {
    if (record !== undefined) tabs.postCall(call.callId, { type: 'created', record })
  }

  /** Takes up one call, whatever its record says. */
  async function resumeCall(callId: string): Promise<readonly ToolCall[]> {
    const found = await readFound(callId)
    if (closing.signal.aborted || found === undefined) return []
    const known = entries.get(callId)
    if (found.task === undefined && known === undefined) return resumeIntent(found)
    return [handle(known ?? open(found))]
  }

  /** A `tools/call` went out and its response is not recorded: the page that was to get it is gone, or still waits for it. */
  async function resumeIntent(intent: TaskRecord): Promise<readonly ToolCall[]> {
    const { callId, tool } = intent
    if (planStart(intent, 'resume', await port.isRepeatable(tool)) === 'nothing') return []
    let unlock = () => {}
    try {
      unlock = await tabs.lock(callId, closing.signal)
      const found = await records.read(callId)
      if (closing.signal.aborted) return []
      const known = entries.get(callId)
      if (known !== undefined && found !== undefined) return [handle(known)]
      switch (planStart(found, 'resume', false)) {
        case 'follow':
          return found ? [handle(follow(found))] : []
        case 'interrupted':
          return [handle(interrupted(found as TaskRecord))]
        default:
          return []
      }
    } catch (error) {
      if (closing.signal.aborted) return []
      throw error
    } finally {
      unlock()
    }
  }

  /** Lists a call that was interrupted, once no other tab is waiting for its response. */
  async function listIntent(record: TaskRecord): Promise<void> {
    if (record.held === undefined) await resumeIntent(record)
  }

  function interrupted({ callId, tool, key, startedAt }: TaskRecord): CallEntry {
    return over({ callId, name: tool, key, startedAt }, new ToolCallInterruptedError(tool, { callId }), startedAt)
  }

  return {
    start: ({ name, arguments: args }, { key, fresh = false, signal }) => {
      const callId = key === undefined ? environment.randomId() : toolCallId(name, key)
      const known = entries.get(callId)
      if (signal?.aborted) return refuse(newCall(callId, name, key, args), signal.reason)
      if (known !== undefined && isReusable(known.shown, fresh)) {
        if (key !== undefined) warnOfOtherArguments(known.call, key, args)
        return handle(known, signal)
      }
      if (closing.signal.aborted) return refuse(newCall(callId, name, key, args), closing.signal.reason)
      const isLost = known?.shown.error instanceof TaskExpiredError
      const lostTaskId = isLost ? known.shown.task?.taskId : undefined
      const entry = begin(newCall(callId, name, key, args))
      const wish: Wish = fresh === true ? 'call-again' : fresh === 'settled' ? 'call-if-settled' : 'call'
      const onWaiting = (settle: ((end: CallEnd) => void) | undefined) => {
        if (settle === undefined) waiting.delete(callId)
        else waiting.set(callId, settle)
      }
      const call = handle(entry, signal)
      // Not before the caller has it in hand: it reports to them.
      void Promise.resolve().then(() =>
        startCall({ entry, wish, lostTaskId, onWaiting }, { ...options, readFound, runtime }),
      )
      return call
    },

    resumeTask: ({ taskId, name = '' }, { key, signal }) => {
      if (key !== undefined && name === '') {
        throw new TaskConfigurationError(
          'resumeTask with a key needs the name of the tool, which the key belongs to: pass { taskId, name }.',
        )
      }
      const callId = key === undefined ? taskCallId(taskId) : toolCallId(name, key)
      const call = newCall(callId, name, key)
      if (signal?.aborted) return refuse(call, signal.reason)
      const known = findTask(taskId)
      const isWanted = key === undefined || known?.call.callId === callId
      if (known !== undefined && (isWanted || !isSettled(known.shown))) return handle(known, signal)
      if (closing.signal.aborted) return refuse(call, closing.signal.reason)
      const other = entries.get(callId)
      if (other !== undefined && !isSettled(other.shown)) {
        throw new TaskConfigurationError(
          `A call of "${name}" with the key ${JSON.stringify(key)} is running, and its task is another one. Use another key, or forget() that call.`,
        )
      }
      const record = resumedRecord(call, taskId)
      const entry = follow(record)
      tabs.postCall(callId, { type: 'created', record })
      // Named after its task, a record can be of no other one.
      if (key === undefined) void records.update(record)
      else void noteResumed(record, entry)
      return handle(entry, signal)
    },

    resumeTasks: async ({ callId } = {}) => {
      if (closing.signal.aborted) return []
      tabs.open()
      if (callId !== undefined) return resumeCall(callId)
      const found = await records.list()
      if (closing.signal.aborted) return []
      return found.flatMap((record) => {
        if (record.held === 'working') tabs.postCall(record.callId, { type: 'wanted' })
        const known = entries.get(record.callId)
        if (record.task === undefined) void (known ?? listIntent(record))
        if (record.task === undefined || isTaskOver(record.task)) {
          if (known === undefined) ended.list(record)
          return []
        }
        return [handle(known ?? findTask(record.task.taskId) ?? follow(record))]
      })
    },

    get: (callId) => {
      const record = ended.get(callId)
      const entry = record === undefined ? entries.get(callId) : open(record)
      return entry && toolCallHandle({ entry, runtime, store, observes: false })
    },

    receive: (callId, message) => {
      const known = entries.get(callId)
      if (message.type === 'settled') return waiting.get(callId)?.({ outcome: message.outcome })
      if (message.type === 'wanted') return known && handOver(known)
      const { record } = message
      if (!isOwn(record, callId) || forgotten.has(callId, record.startedAt)) return
      waiting.get(callId)?.({ record })
      wanted.get(callId)?.(record)
      // What has failed here was called anew in another tab.
      const isAnew = known?.shown.phase === 'failed' && record.startedAt > known.call.startedAt
      if (known !== undefined && !isAnew) void followInstead(known, record)
      else if (options.followsUnobserved && !closing.signal.aborted) follow(record)
    },

    receiveTask: (taskId, message) => runtime.receive(taskId, { type: 'message', message, isOwn: false }),

    receiveForgotten: (callId, at) => {
      forgotten.note(callId, at)
      for (const id of callId === undefined ? allIds() : [callId]) dropForgotten(id, at)
    },

    knownOf: runtime.knownOf,

    forget: (callId) => {
      tabs.postForgotten(forgotten.forget(callId), callId)
      drop(callId)
      return records.remove(callId)
    },

    forgetAll: (scope = owner.scope) => {
      tabs.postForgotten(scope === owner.scope ? forgotten.forget() : environment.now(), undefined, scope)
      return dropAll(scope)
    },

    close: async () => {
      closing.abort(closedError())
      const written = [...runtime.tracked()].map((entry) => runtime.write(entry))
      for (const entry of entries.values()) {
        runtime.leave(entry, abortError('The task client was closed; its tasks go on.'))
      }
      runtime.close()
      tabs.close()
      await Promise.all(written)
      for (const callId of allIds()) drop(callId)
    },
  }

  /** The record of a task that the app names. */
  function resumedRecord({ callId, name, key, startedAt }: Call, taskId: string): TaskRecord {
    const identity = {
      callId,
      tool: name,
      ...(key !== undefined && { key }),
      ...owner,
      era: 'modern' as const,
      startedAt,
    }
    const times = { receivedAt: environment.now(), createdAt: '', lastUpdatedAt: '', ttlMs: null }
    return { ...identity, task: { taskId, status: 'working', ...times, answered: [], isCancelling: false } }
  }

  /**
   * Writes the record of a task that the app names: not over what an earlier page has noted of it, nor over
   * another one that is at work.
   */
  async function noteResumed(record: TaskRecord, entry: CallEntry): Promise<void> {
    const found = await records.read(record.callId)
    if (entries.get(record.callId) !== entry) return
    const isOver = found?.task === undefined || isTaskOver(found.task)
    const isOther = found?.task?.lost !== undefined || found?.task?.taskId !== record.task?.taskId
    await (isOver && isOther ? records.write(record) : records.update(record))
  }
}

function isFollowed(call: Call): call is Extract<Call, { stage: 'following' | 'resting' }> {
  return call.stage === 'following' || call.stage === 'resting'
}

function closedError(): TaskConfigurationError {
  return new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().')
}

/** The key says which call it is, so the arguments of the first one count. */
function warnOfOtherArguments({ name, arguments: known }: Call, key: string, args: ToolCallParams['arguments']): void {
  if (known === undefined || isEqual(known, args ?? {})) return
  warnInDevelopment(
    `[taskwire] "${name}" was called with the key ${JSON.stringify(key)} and other arguments than the call of that key. ` +
      'The call that is known is returned. Use another key for other arguments.',
  )
}
