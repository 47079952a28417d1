import { abortError } from '../call/abort.js'
import { type CallRuntime, type CallRuntimeOptions, createCallRuntime } from '../call/callRuntime.js'
import type { CallMessage } from '../call/callTabs.js'
import type { CallEnd } from '../call/lockCall.js'
import type { Wish } from '../call/planStart.js'
import { type StartContext, startCall } from '../call/startCall.js'
import type { TaskMessage } from '../call/taskMessage.js'
import type { ToolCallRequest } from '../call/taskPort.js'
import { isSettled, type SettledToolCall } from '../call/toolCallState.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError, TaskExpiredError, ToolCallKeyConflictError } from '../protocol/errors.js'
import { argumentsHash as hashOf, isOtherHash } from '../storage/argumentsHash.js'
import type { RecordStore } from '../storage/recordStore.js'
import { isTaskOver, type ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Tabs } from '../tabs/createTabs.js'
import { ANY_ARGUMENTS, type AnyArguments, warnOfOtherArguments } from './anyArguments.js'
import { toolCallId } from './callIds.js'
import type { CallMetas } from './callMeta.js'
import type { TaskClientStore } from './createStore.js'
import { createEndedCalls } from './endedCalls.js'
import { createForgetting } from './forgetting.js'
import { createForgotten } from './forgotten.js'
import { isReusable } from './isReusable.js'
import { createPageCalls, type PageCalls } from './pageCalls.js'
import { createRecordHandOver } from './recordHandOver.js'
import { createResuming } from './resuming.js'
import { createSettledCalls } from './settledCalls.js'
import { createTabNews } from './tabNews.js'
import type { TaskReference, ToolCall, ToolCallOptions } from './taskClient.js'
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
    | 'tap'
  > {
  readonly records: RecordStore
  readonly store: TaskClientStore
  readonly tabs: Tabs
  /** Called with each call while the app starts it. */
  readonly prepareMeta: CallMetas['prepare']
  /** Called when calls were forgotten: one, or all that were not made since. */
  readonly onForgotten: (callId: string | undefined) => void
  /** Called when a call has ended. */
  readonly onSettled: (state: SettledToolCall) => void
}

/** The calls of this page: each once, however often it is asked for. */
export interface Calls {
  start(request: ToolCallRequest, options: ToolCallOptions & AnyArguments): ToolCall
  resumeTask(task: TaskReference, options: Pick<ToolCallOptions, 'signal' | 'key'>): ToolCall
  resumeToolCalls(filter?: { callId?: string }): Promise<readonly ToolCall[]>
  get(callId: string): ToolCall | undefined
  forget(callId: string): Promise<void>
  forgetAll(scope: string | undefined): Promise<void>
  /** What another tab posts about a call. */
  receive(callId: string, message: CallMessage): void
  receiveTask(taskId: string, message: TaskMessage): void
  receiveForgotten(callId: string | undefined, at: number): void
  knownOf(taskId: string): readonly TaskMessage[]
  polledTaskIds(): readonly string[]
  /** What kept polls from passing is over: they need not wait for the end of their backoff. */
  pollSoon(): void
  /** Resolves when what is known is written down. */
  close(): Promise<void>
}

export function createCalls(options: CallsOptions): Calls {
  const { environment, port, records, store, tabs, owner, followsUnobserved } = options
  const { now } = environment
  const closing = new AbortController()
  const { signal } = closing
  const forgotten = createForgotten(now)
  const ended = createEndedCalls(store)
  const settled = createSettledCalls({ now, isObserved: store.isObserved, drop: (callId) => calls.drop(callId) })
  const handOver = createRecordHandOver({ environment, records, owner, tabs, signal })
  const runtime: CallRuntime = createCallRuntime({
    ...options,
    onChange: ({ shown }) => store.setCall(shown),
    onPageShown: (entry) => void news.catchUp(entry),
    onSettled: ({ call, shown }) => {
      settled.note(call)
      if (isSettled(shown)) options.onSettled(shown)
    },
  })
  const { startTime } = forgotten
  const calls: PageCalls = createPageCalls({ runtime, store, tabs, ended, settled, now, startTime })
  const forgetting = createForgetting({ ...options, calls, ended, forgotten, now })
  const { dropForgotten, forget, forgetAll } = forgetting
  const news = createTabNews({ calls, records, owner, forgotten, dropForgotten, handOver, followsUnobserved, signal })
  const starting: StartContext = { ...options, readFound: handOver.read, runtime }
  const { resumeTask, resumeToolCalls } = createResuming({
    calls,
    ended,
    handOver,
    port,
    records,
    owner,
    tabs,
    now,
    signal,
  })

  return {
    start: ({ name, arguments: args }, { key, repeat = 'never', signal: detaching, [ANY_ARGUMENTS]: takesAny }) => {
      const callId = key === undefined ? environment.randomId() : toolCallId(owner, name, key)
      const known = calls.entries.get(callId)
      const argumentsHash = key === undefined ? undefined : hashOf(args)
      const conflict = () => new ToolCallKeyConflictError(name, { callId, key })
      if (detaching?.aborted) return calls.refuse(calls.newCall(callId, name, key, args), detaching.reason)
      if (known !== undefined && isReusable(known.shown, repeat) && known.isUnanswered !== true) {
        const isConflict = takesAny !== true && isOtherHash(known.call.argumentsHash, argumentsHash)
        return calls.handle(known, isConflict ? AbortSignal.abort(conflict()) : detaching)
      }
      if (signal.aborted) return calls.refuse(calls.newCall(callId, name, key, args), signal.reason)
      const isLost = known?.shown.error instanceof TaskExpiredError
      const lostTaskId = isLost ? known.shown.task?.taskId : undefined
      const entry = calls.begin({ ...calls.newCall(callId, name, key, args), argumentsHash })
      entry.meta = options.prepareMeta({ callId, name })
      const onWaiting = (settle: ((end: CallEnd) => void) | undefined) => {
        if (settle === undefined) calls.waiting.delete(callId)
        else calls.waiting.set(callId, settle)
      }
      const isRefused = () => {
        if (takesAny !== true) return true
        inDevelopment?.(() => warnOfOtherArguments(name, key))
        return false
      }
      const onConflict = (kept: ToolCallRecord | undefined) => {
        if (entry.left !== undefined) return
        const error = conflict()
        runtime.dispatch(entry, { type: 'settled', outcome: { error } })
        runtime.leave(entry, error)
        calls.drop(callId)
        // The call of that key goes on, here too where calls are followed that nothing observes.
        if (kept?.task !== undefined && isTaskOver(kept.task)) ended.list(kept)
        else if (kept?.task !== undefined && followsUnobserved) calls.follow(kept)
      }
      const call = calls.handle(entry, detaching)
      // Not before the caller has it in hand: it reports to them.
      void Promise.resolve().then(() =>
        startCall({ entry, wish: WISH[repeat], lostTaskId, isRefused, onConflict, onWaiting }, starting),
      )
      return call
    },
    resumeTask,
    resumeToolCalls,
    get: (callId) => {
      const record = ended.get(callId)
      const entry = record === undefined ? calls.entries.get(callId) : calls.open(record)
      // To fetch an outcome takes one who waits for it.
      return entry && toolCallHandle({ entry, runtime, store, observes: record !== undefined })
    },
    receive: news.receive,
    receiveTask: (taskId, message) => runtime.receive(taskId, { type: 'message', message, isOwn: false }),
    receiveForgotten: forgetting.receive,
    knownOf: runtime.knownOf,
    polledTaskIds: runtime.polledTaskIds,
    pollSoon: () => {
      for (const entry of [...runtime.tracked()]) runtime.dispatch(entry, { type: 'online' })
    },
    forget,
    forgetAll,
    close: async () => {
      closing.abort(closedError())
      const written = [...runtime.tracked()].map((entry) => runtime.write(entry))
      for (const entry of calls.entries.values()) {
        runtime.leave(entry, abortError('The task client was closed; its tasks go on.'))
      }
      runtime.close()
      tabs.close()
      await Promise.all(written)
      for (const callId of calls.callIds()) calls.drop(callId)
    },
  }
}

const WISH: Record<NonNullable<ToolCallOptions['repeat']>, Wish> = {
  never: 'call',
  settled: 'call-if-settled',
  always: 'call-again',
}

function closedError(): TaskConfigurationError {
  return new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().')
}
