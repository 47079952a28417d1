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
import {
  ConnectionFailedError,
  TaskProtocolError,
  TaskUnreachableError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import { isTerminal } from '../protocol/task.js'
import { hash } from '../storage/hash.js'
import type { RecordStore } from '../storage/recordStore.js'
import type { TaskRecord } from '../storage/taskRecord.js'
import type { Tabs } from '../tabs/createTabs.js'
import type { TaskClientStore } from './createStore.js'
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
  receiveForgotten(callId: string | undefined): void
  resumeTasks(filter?: { callId?: string }): Promise<readonly ToolCall[]>
  get(callId: string): ToolCall | undefined
  forget(callId: string): Promise<void>
  forgetAll(scope: string | undefined): Promise<void>
  stop(): void
}

interface Call {
  readonly run: ToolCallRun
  readonly state: ToolCallState
}

/** The id of the call with this key. The same in every page, so that a reload finds its record. */
export function toolCallId(name: string, key: string): string {
  return hash(JSON.stringify([name, key]))
}

export function createCallRegistry(options: CallRegistryOptions): CallRegistry {
  const { environment, records, store, tabs, endpoint, scope } = options
  const runs = new Map<string, ToolCallRun>()

  function newRecord(callId: string, tool: string, key: string | undefined): TaskRecord {
    const startedAt = environment.now()
    return { callId, tool, ...(key !== undefined && { key }), endpoint, scope, era: 'modern', startedAt }
  }

  function begin(
    record: TaskRecord,
    args: ToolCallParams['arguments'],
    recall?: () => Promise<TaskRecord | undefined>,
  ): Call {
    const { callId } = record
    tabs.open()
    runs.get(callId)?.stop(abortError('The call was started anew.'))
    const state = initialState(record, args)
    store.setCall(state)
    const isCurrent = () => runs.get(callId) === run
    const run: ToolCallRun = startToolCallRun({
      record,
      recall,
      request: { name: record.tool, ...(args && { arguments: args }) },
      port: options.port,
      environment,
      policy: options.policy,
      records,
      tabs,
      push: options.push,
      followUnwatched: options.followUnwatched,
      inputHandlers: options.inputHandlers,
      missingInput: options.missingInput,
      stuckAfterPolls: options.stuckAfterPolls,
      onError: (error, operation) => options.onError(error, { callId, operation }),
      dispatch: (event) => {
        const state = store.getCall(callId)
        if (!isCurrent() || state === undefined) return
        const next = toolCallReducer(state, event)
        store.setCall(next)
        if (!isSettled(state.phase) && isSettled(next.phase)) options.onSettled(next)
      },
      onScheduled: (at) => {
        if (isCurrent()) store.setNextPollAt(callId, at)
      },
    })
    runs.set(callId, run)
    return { run, state }
  }

  function watch({ run, state }: Call, signal?: AbortSignal): ToolCall {
    return toolCallHandle({ run, state, store: store.api, watches: true, signal })
  }

  function find(callId: string): Call | undefined {
    const run = runs.get(callId)
    const state = store.getCall(callId)
    return run && state && { run, state }
  }

  function drop(callId: string): Promise<void> {
    runs.get(callId)?.stop(abortError('The call was forgotten.'))
    runs.delete(callId)
    store.removeCall(callId)
    return records.remove(callId)
  }

  async function dropAll(other: string): Promise<void> {
    if (other === scope) await Promise.all([...runs.keys()].map(drop))
    await records.clear(other)
  }

  return {
    start: ({ name, arguments: args }, { key, fresh = false, signal }) => {
      signal?.throwIfAborted()
      const callId = key === undefined ? environment.randomId() : toolCallId(name, key)
      const known = find(callId)
      if (known && isReusable(known.state, fresh)) return watch(known, signal)
      const recall = async () => {
        const left = await records.read(callId)
        const isEnded = left !== undefined && (left.task === undefined || isTerminal(left.task.status))
        return fresh === 'settled' && isEnded ? undefined : left
      }
      const isNew = key === undefined || fresh === true
      return watch(begin(newRecord(callId, name, key), args, isNew ? undefined : recall), signal)
    },

    resumeTask: ({ taskId, name = '' }, { key, signal }) => {
      signal?.throwIfAborted()
      const running = Object.values(store.api.getState().calls).find(
        (call) => call.task?.taskId === taskId && !isSettled(call.phase),
      )
      const known = running && find(running.callId)
      if (known) return watch(known, signal)
      const record = newRecord(key === undefined ? environment.randomId() : toolCallId(name, key), name, key)
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
      void records.write(resumed)
      return watch(begin(resumed, undefined), signal)
    },

    resumeTasks: async ({ callId } = {}) => {
      tabs.open()
      const left = callId === undefined ? await records.list() : [await records.read(callId)]
      return left
        .filter((record) => record !== undefined)
        .flatMap((record) => {
          if (record.task === undefined || isTerminal(record.task.status)) return []
          return [watch(find(record.callId) ?? begin(record, undefined))]
        })
    },

    get: (callId) => {
      const known = find(callId)
      return known && toolCallHandle({ ...known, store: store.api, watches: false })
    },

    receive: (callId, message) => {
      const run = runs.get(callId)
      if (run !== undefined) run.receive(message)
      else if (message.type === 'created' && options.followUnwatched) begin(message.record, undefined)
    },

    receiveForgotten: (callId) => {
      void (callId === undefined ? dropAll(scope) : drop(callId))
    },

    forget: (callId) => {
      tabs.tellForgotten(callId)
      return drop(callId)
    },

    forgetAll: (other = scope) => {
      tabs.tellAllForgotten(other)
      return dropAll(other)
    },

    stop: () => {
      for (const run of runs.values()) run.stop(abortError('The task client was closed; its tasks go on.'))
      tabs.close()
      options.push.close()
    },
  }
}

function initialState(record: TaskRecord, args: ToolCallParams['arguments']): ToolCallState {
  return {
    callId: record.callId,
    name: record.tool,
    ...(args && { arguments: args }),
    phase: 'calling',
    inputRequests: {},
    isCancelling: false,
    network: 'ok',
    failureCount: 0,
    startedAt: record.startedAt,
  }
}

/**
 * Whether to return a call that is known instead of making another. An ended one counts, its failure
 * included, unless making the call again cannot run the tool twice: nothing was sent, the server
 * refused it, or its record still leads to the task.
 */
function isReusable(state: ToolCallState, fresh: boolean | 'settled'): boolean {
  if (!isSettled(state.phase)) return fresh !== true
  if (fresh !== false) return false
  const { error } = state
  return !(
    error instanceof ConnectionFailedError ||
    error instanceof ToolCallRejectedError ||
    error instanceof TaskUnreachableError ||
    error instanceof TaskProtocolError
  )
}
