import { abortError } from '../engine/abort.js'
import type { CallMessage } from '../engine/callTabs.js'
import type { InputHandlers } from '../engine/inputHandlers.js'
import type { PollPolicy } from '../engine/pollPolicy.js'
import type { PushFeed } from '../engine/pushFeed.js'
import type { TaskPort } from '../engine/taskPort.js'
import { isSettled, toolCallReducer } from '../engine/toolCallReducer.js'
import { startToolCallRun, type ToolCallRun } from '../engine/toolCallRun.js'
import type { ToolCallState } from '../engine/toolCallState.js'
import type { Environment } from '../environment/environment.js'
import { TaskConfigurationError, TaskExpiredError, ToolCallInterruptedError } from '../protocol/errors.js'
import { isTerminal } from '../protocol/task.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { TaskRecord } from '../storage/taskRecord.js'
import type { Tabs } from '../tabs/createTabs.js'
import { taskCallId, toolCallId } from './callIds.js'
import { failedState, initialState, isReusable } from './callStates.js'
import type { TaskClientStore } from './createStore.js'
import { refusedRun } from './refusedRun.js'
import type { TaskErrorContext, TaskReference, ToolCall, ToolCallOptions, ToolCallParams } from './taskClient.js'
import { toolCallHandle } from './toolCallHandle.js'

export interface CallRegistryOptions {
  readonly port: TaskPort
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly records: RecordStore
  readonly store: TaskClientStore
  readonly tabs: Tabs
  readonly push: PushFeed
  readonly endpoint: string
  readonly scope: string
  readonly followUnwatched: boolean
  readonly inputHandlers: InputHandlers
  readonly missingInput: 'wait' | 'error'
  readonly stuckAfterPolls: number
  readonly onError: (error: unknown, context: TaskErrorContext) => void
  /** Hears of a call that has come to an end. */
  readonly onSettled: (state: ToolCallState) => void
}

/** The calls of this page: one run each, whoever asks for it and however often. */
export interface CallRegistry {
  start(params: ToolCallParams, options: ToolCallOptions): ToolCall
  resumeTask(task: TaskReference, options: Pick<ToolCallOptions, 'signal' | 'key'>): ToolCall
  /** Takes note of what another tab says of a call. */
  receive(callId: string, message: CallMessage): void
  receiveForgotten(callId: string | undefined, at: number): void
  resumeTasks(filter?: { callId?: string }): Promise<readonly ToolCall[]>
  get(callId: string): ToolCall | undefined
  forget(callId: string): Promise<void>
  forgetAll(scope: string | undefined): Promise<void>
  /** Resolves when what is known is written down. */
  stop(): Promise<void>
}

interface Call {
  readonly run: ToolCallRun
  readonly state: ToolCallState
}

/** How long a call without a key stays in the store once it has ended, in ms: what nobody can ask for again. */
const KEEP_ENDED_MS = 5 * 60 * 1000

export function createCallRegistry(options: CallRegistryOptions): CallRegistry {
  const { environment, records, store, tabs, endpoint, scope } = options
  const runs = new Map<string, ToolCallRun>()
  /** When the calls without a key came to their end, in that order. */
  const endedAt = new Map<string, number>()
  const life = new AbortController()
  let isSwept = false
  /** When each call was last forgotten, here or in another tab, and when all were, ms since the epoch. */
  const forgotten = new Map<string | undefined, number>()
  /** The latest of these times. */
  let forgottenAt = 0

  function newRecord(callId: string, tool: string, key: string | undefined): TaskRecord {
    // In the millisecond in which another call was forgotten, too, it is later than that.
    const startedAt = Math.max(environment.now(), forgottenAt + 1)
    return { callId, tool, ...(key !== undefined && { key }), endpoint, scope, era: 'modern', startedAt }
  }

  function begin(
    record: TaskRecord,
    args?: ToolCallParams['arguments'],
    recall?: () => Promise<TaskRecord | undefined>,
    isFresh = false,
  ): Call {
    const { callId } = record
    tabs.open()
    sweep()
    dropEnded()
    endedAt.delete(callId)
    runs.get(callId)?.stop(abortError('The call was started anew.'))
    const state = initialState(record, args)
    store.setCall(state)
    const isCurrent = () => runs.get(callId) === run
    const run: ToolCallRun = startToolCallRun({
      record,
      recall,
      isFresh,
      request: { name: record.tool, ...(args && { arguments: args }) },
      port: options.port,
      environment,
      policy: options.policy,
      records,
      tabs: { ...tabs, tell },
      push: options.push,
      followUnwatched: options.followUnwatched,
      inputHandlers: options.inputHandlers,
      missingInput: options.missingInput,
      stuckAfterPolls: options.stuckAfterPolls,
      onForgotten: () => {
        if (isCurrent()) dropForgotten(callId)
      },
      onError: (error, operation) => options.onError(error, { callId, operation }),
      dispatch: (event) => {
        const state = store.getCall(callId)
        if (!isCurrent() || state === undefined) return
        const next = toolCallReducer(state, event)
        store.setCall(next)
        if (isSettled(state.phase) || !isSettled(next.phase)) return
        if (record.key === undefined) endedAt.set(callId, environment.now())
        options.onSettled(next)
      },
      onScheduled: (at) => {
        if (isCurrent()) store.setNextPollAt(callId, at)
      },
    })
    runs.set(callId, run)
    return { run, state }
  }

  /** Tells the other tabs of a call, and the other calls of this page that refer to its task what was done to that. */
  function tell(callId: string, message: CallMessage): void {
    tabs.tell(callId, message)
    if ('taskId' in message) receiveOfTask(message, callId)
  }

  /** Each call passes over what is about another task. */
  function receiveOfTask(message: CallMessage, from?: string): void {
    for (const [callId, run] of runs) if (callId !== from) run.receive(message)
  }

  function watch({ run, state }: Call, signal?: AbortSignal): ToolCall {
    return toolCallHandle({ run, state, store: store.api, watches: true, signal })
  }

  /** A call that is not made, and is in no store. */
  function refuse(record: TaskRecord, args: ToolCallParams['arguments'], reason: unknown): ToolCall {
    const state = failedState(record, args, reason)
    return toolCallHandle({ run: refusedRun(record, reason), state, store: store.api, watches: false })
  }

  function find(callId: string): Call | undefined {
    const run = runs.get(callId)
    const state = store.getCall(callId)
    return run && state && { run, state }
  }

  /** The call that follows this task, or has followed it to its end. */
  function findTask(taskId: string): Call | undefined {
    for (const [callId, run] of runs) {
      const known = run.record.task?.taskId === taskId ? find(callId) : undefined
      if (known && isReusable(known.state, false)) return known
    }
    return undefined
  }

  /**
   * Removes records past their use, once a page. Where every task is resumed, that has read them all; it is left
   * to do where tasks are followed only while somebody watches.
   */
  function sweep(): void {
    if (isSwept || options.followUnwatched) return
    isSwept = true
    void records.list()
  }

  /** Without a timer, which would keep a page or a process busy for nothing: calls only pile up where calls are made. */
  function dropEnded(): void {
    const before = environment.now() - KEEP_ENDED_MS
    for (const [callId, at] of endedAt) if (at <= before) drop(callId)
  }

  /** Ends a call in this page. */
  function drop(callId: string): void {
    endedAt.delete(callId)
    runs.get(callId)?.stop(abortError('The call was forgotten.'))
    runs.delete(callId)
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
    const run = runs.get(callId)
    // A start that is yet to come was noted before the clock was set back.
    if (run === undefined || (run.record.startedAt > at && run.record.startedAt <= environment.now())) return
    drop(callId)
    void records.remove(callId, run.record)
  }

  /** Notes that a call, or every one, is forgotten now. Returns when that is: later than all times before. */
  function forgetNow(callId?: string): number {
    const at = Math.max(environment.now(), forgottenAt + 1)
    noteForgotten(callId, at)
    return at
  }

  function noteForgotten(callId: string | undefined, at: number): void {
    forgottenAt = Math.max(at, forgottenAt)
    forgotten.set(callId, Math.max(at, forgotten.get(callId) ?? 0))
  }

  /** Whether the call was forgotten after it was started. A tab that does not know yet may still tell of its task. */
  function isForgotten({ callId, startedAt }: TaskRecord): boolean {
    return startedAt <= Math.max(forgotten.get(undefined) ?? -1, forgotten.get(callId) ?? -1)
  }

  /** Whether a record that another tab tells of is what it claims to be. */
  function isOwn(record: TaskRecord, callId: string): boolean {
    return record.callId === callId && record.endpoint === endpoint && record.scope === scope
  }

  async function dropAll(other: string): Promise<void> {
    const own = other === scope ? [...runs.keys()] : []
    for (const callId of own) drop(callId)
    // Each by itself, too: a record may still be on its way into a storage that takes its time.
    await Promise.all([records.clear(other), ...own.map((callId) => records.remove(callId))])
  }

  /**
   * Writes the record of a task that the app names: not over what an earlier page has noted of it, nor over
   * another one that is at work.
   */
  async function noteResumed(record: TaskRecord, isCurrent: () => boolean): Promise<void> {
    const left = await records.read(record.callId)
    if (!isCurrent()) return
    const isOver = left?.task === undefined || isTerminal(left.task.status)
    await (isOver && left?.task?.taskId !== record.task?.taskId ? records.write(record) : records.update(record))
  }

  /** Takes up the one call. */
  async function resumeCall(callId: string): Promise<readonly ToolCall[]> {
    sweep()
    const left = await records.read(callId)
    if (life.signal.aborted || left === undefined) return []
    const known = find(callId)
    if (left.task === undefined) return known ? [watch(known)] : explainIntent(left)
    if (isTerminal(left.task.status)) return []
    return [watch(known ?? begin(left))]
  }

  /**
   * A `tools/call` went out and its answer is not recorded. Whoever was to get it is gone, or is a tab that
   * still waits for it:
   *
   * ```text
   * tab A  claims ─ intent ─ tools/call ──── task ─ lets go
   * tab B             reads the intent ─ claims ··········· reads the task, follows it
   * tab A  claims ─ intent ─ tools/call ─ ▪ reload
   * tab A                                   reads the intent ─ claims: the call was interrupted
   * ```
   */
  async function explainIntent({ callId, tool }: TaskRecord): Promise<readonly ToolCall[]> {
    // Nothing has been lost: it is simply called again.
    if (await options.port.isRepeatable(tool)) return []
    let release = () => {}
    try {
      release = await tabs.claim(callId, life.signal)
      const left = await records.read(callId)
      if (life.signal.aborted || left === undefined) return []
      const known = find(callId)
      if (known) return [watch(known)]
      if (left.task !== undefined) return isTerminal(left.task.status) ? [] : [watch(begin(left))]
      const error = new ToolCallInterruptedError(tool, { callId })
      const interrupted = { run: refusedRun(left, error), state: failedState(left, undefined, error) }
      runs.set(callId, interrupted.run)
      store.setCall(interrupted.state)
      return [watch(interrupted)]
    } catch (error) {
      if (life.signal.aborted) return []
      throw error
    } finally {
      release()
    }
  }

  return {
    start: ({ name, arguments: args }, { key, fresh = false, signal }) => {
      const callId = key === undefined ? environment.randomId() : toolCallId(name, key)
      const record = newRecord(callId, name, key)
      if (signal?.aborted) return refuse(record, args, signal.reason)
      const known = find(callId)
      if (known && isReusable(known.state, fresh)) return watch(known, signal)
      if (life.signal.aborted) return refuse(record, args, closedError())
      // To its record it is still at work: that the server has lost a task is known to the page that has asked.
      const lost = known?.state.error instanceof TaskExpiredError && known.state.task?.taskId
      const recall = async () => {
        if (fresh === true) return undefined
        const left = await records.read(callId)
        const isOver = left?.task === undefined || isTerminal(left.task.status) || left.task.taskId === lost
        return fresh === 'settled' && isOver ? undefined : left
      }
      return watch(begin(record, args, key === undefined ? undefined : recall, fresh === true), signal)
    },

    resumeTask: ({ taskId, name = '' }, { key, signal }) => {
      if (key !== undefined && name === '') {
        throw new TaskConfigurationError(
          'resumeTask with a key needs the name of the tool, which the key belongs to: pass { taskId, name }.',
        )
      }
      const callId = key === undefined ? taskCallId(taskId) : toolCallId(name, key)
      const record = newRecord(callId, name, key)
      if (signal?.aborted) return refuse(record, undefined, signal.reason)
      const known = findTask(taskId)
      const isWanted = key === undefined || known?.state.callId === callId
      if (known && (isWanted || !isSettled(known.state.phase))) return watch(known, signal)
      if (life.signal.aborted) return refuse(record, undefined, closedError())
      const other = find(callId)
      if (other && !isSettled(other.state.phase)) {
        throw new TaskConfigurationError(
          `A call of "${name}" with the key ${JSON.stringify(key)} is running, and its task is another one. Use another key, or forget() that call.`,
        )
      }
      const task = {
        taskId,
        status: 'working' as const,
        receivedAt: environment.now(),
        createdAt: '',
        lastUpdatedAt: '',
        ttlMs: null,
        answered: [],
        isCancelling: false,
      }
      const resumed = { ...record, task }
      const call = begin(resumed)
      tabs.tell(callId, { type: 'created', record: resumed })
      // Named after its task, a record can be of no other one.
      if (key === undefined) void records.update(resumed)
      else void noteResumed(resumed, () => runs.get(callId) === call.run)
      return watch(call, signal)
    },

    resumeTasks: async ({ callId } = {}) => {
      if (life.signal.aborted) return []
      tabs.open()
      if (callId !== undefined) return resumeCall(callId)
      isSwept = true
      const left = await records.list()
      if (life.signal.aborted) return []
      return left.flatMap((record) => {
        if (record.task === undefined || isTerminal(record.task.status)) return []
        return [watch(find(record.callId) ?? findTask(record.task.taskId) ?? begin(record))]
      })
    },

    get: (callId) => {
      const known = find(callId)
      return known && toolCallHandle({ ...known, store: store.api, watches: false })
    },

    receive: (callId, message) => {
      if ('taskId' in message) return receiveOfTask(message)
      if (message.type === 'created' && (!isOwn(message.record, callId) || isForgotten(message.record))) return
      const known = find(callId)
      // What has failed here was called anew in another tab.
      const isAnew =
        message.type === 'created' &&
        known?.state.phase === 'failed' &&
        message.record.startedAt > known.run.record.startedAt
      if (known !== undefined && !isAnew) known.run.receive(message)
      else if (message.type === 'created' && options.followUnwatched && !life.signal.aborted) begin(message.record)
    },

    receiveForgotten: (callId, at) => {
      noteForgotten(callId, at)
      for (const id of callId === undefined ? [...runs.keys()] : [callId]) dropForgotten(id, at)
    },

    forget: (callId) => {
      tabs.tellForgotten(forgetNow(callId), callId)
      drop(callId)
      return records.remove(callId)
    },

    forgetAll: (other = scope) => {
      tabs.tellForgotten(other === scope ? forgetNow() : environment.now(), undefined, other)
      return dropAll(other)
    },

    stop: async () => {
      life.abort(closedError())
      const reason = abortError('The task client was closed; its tasks go on.')
      const written = [...runs.values()].map((run) => run.leave(reason))
      tabs.close()
      options.push.close()
      await Promise.all(written)
    },
  }
}

function closedError(): TaskConfigurationError {
  return new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().')
}
