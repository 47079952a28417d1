import { TaskConfigurationError } from '../protocol/errors.js'
import type { ToolCallRequest } from '../protocol/taskPort.js'
import { isSettled, type SettledToolCall } from '../record/toolCallState.js'
import type { Election } from '../tabs/tabs.js'
import type { AnswersOptions, CreateAnswers } from './answers.js'
import {
  type Context,
  type ResumeOptions,
  resumeTask,
  resumeToolCalls,
  type StartHooks,
  type StartOptions,
  start,
} from './begin.js'
import { createCatchUp, createHandOver } from './catchUp.js'
import type { CallEntry } from './entries.js'
import { createForgotten } from './forgotten.js'
import { type CallHandle, createHandle } from './handle.js'
import { pollSoon, watchPage } from './looking.js'
import type { NewsOptions, Receive } from './news.js'
import { type CallStore, createPageCalls } from './pageCalls.js'
import { createPolls } from './polls.js'
import type { CreatePush } from './push.js'
import { createTaskRequests } from './requests.js'
import { createRunner, type RunnerOptions } from './runner.js'
import { createSettling } from './settle.js'

export interface CallsOptions
  extends StartHooks,
    AnswersOptions,
    Pick<
      RunnerOptions,
      'port' | 'environment' | 'rules' | 'records' | 'owner' | 'tabs' | 'followsUnobserved' | 'tap' | 'onError'
    > {
  readonly store: CallStore
  /** Takes what other tabs say. */
  readonly createNews: (options: NewsOptions) => Receive
  /** Responds to input requests. */
  readonly createAnswers: CreateAnswers
  /** Opens the stream of what the server pushes. */
  readonly createPush: CreatePush
  readonly maxConcurrentPolls: number
  /** Called when calls were forgotten: one, or all that were not made since. */
  readonly onForgotten: (callId: string | undefined) => void
  /** Called when a call has ended. */
  readonly onSettled: (state: SettledToolCall) => void
}

/** The calls of this page: each once, however often it is asked for. */
export interface Calls {
  start(request: ToolCallRequest, options: StartOptions): CallHandle
  resumeTask(task: { taskId: string; name?: string }, options: ResumeOptions): CallHandle
  resumeToolCalls(filter?: { callId?: string }): Promise<readonly CallHandle[]>
  get(callId: string): CallHandle | undefined
  forget(callId: string): Promise<void>
  forgetAll(scope: string | undefined): Promise<void>
  readonly receive: Receive
  /** Another tab is there: tells it what this one has learned while it knew of none. */
  onPeer(): void
  onLeaderChange(election: Election, isStolen: boolean): void
  /** What kept polls from passing is over: they need not wait for the end of their backoff. */
  pollSoon(): void
  /** Resolves when what is known is written down. */
  close(): Promise<void>
}

export function createCalls(options: CallsOptions): Calls {
  const { environment, port, records, store, tabs, owner, onForgotten } = options
  const closing = new AbortController()
  const { signal } = closing
  const forgotten = createForgotten(environment.now)
  const run = createRunner({
    ...options,
    onShown: ({ shown }) => store.setCall(shown),
    isPushed: (taskId) => push.isPushed(taskId),
    onFirst: () => watchPage(run, { polls, onShown: (entry) => void catching.catchUp(entry) }),
    onDue: (task) => polls.add(task),
    onPollingOver: (task) => {
      polls.drop(task)
      if (!run.isFollowed(task)) port.release?.(task.taskId)
    },
    // Called with each call that starts, however many run: which of them this tab polls is asked when the stream is opened.
    onPolledChange: () => (run.tasks.size > 0 ? push.update() : push.close()),
    onInputs: (task) => answers.onInputs(task),
    onEnd: (task) => settling.finish(task),
  })
  const polledTaskIds = () =>
    [...run.tasks.values()].flatMap(({ election, taskId }) => (election?.isLeader() ? taskId : []))
  const push = options.createPush(run, polledTaskIds)
  const polls = createPolls(run, options.maxConcurrentPolls)
  const requests = createTaskRequests(run, signal)
  const answers = options.createAnswers(run, requests, options)
  const settling = createSettling(run, (entry) => {
    calls.noteSettled(entry)
    if (isSettled(entry.shown)) options.onSettled(entry.shown)
  })
  const { settle } = settling
  const calls = createPageCalls(run, store, requests, forgotten.startTime)
  const handOver = createHandOver(run, signal)
  const catching = createCatchUp(run, calls, onForgotten)
  const receive = options.createNews({ run, calls, forgotten, settle, handOver, catching, onForgotten, signal })
  const { readFound } = handOver
  const handle = (entry: CallEntry, detaching?: AbortSignal, observes = true) =>
    createHandle(entry, { run, store, requests, answers }, observes, detaching)
  const context: Context = { run, calls, settle, readFound, handle, signal, ...requests, ...answers }

  return {
    start: (request, how) => start(request, how, context, options),
    resumeTask: (task, how) => resumeTask(task, how, context),
    resumeToolCalls: (filter) => resumeToolCalls(filter, context),
    get: (callId) => {
      const entry = run.calls.get(callId)
      if (entry === undefined) return undefined
      const { stage } = entry.call
      // An outcome is fetched only while something waits for it.
      return stage.name === 'recorded' ? handle(calls.open(stage.record)) : handle(entry, undefined, false)
    },
    receive,
    onPeer: () => {
      for (const task of run.tasks.values()) if (task.election?.isLeader()) run.tell(task)
    },
    onLeaderChange: run.onLeaderChange,
    pollSoon: () => pollSoon(run),
    forget: (callId) => {
      tabs.postForgotten(forgotten.forget(callId), callId)
      calls.drop(callId)
      onForgotten(callId)
      return records.remove(callId)
    },
    forgetAll: async (scope = owner.scope) => {
      const isOwn = scope === owner.scope
      tabs.postForgotten(isOwn ? forgotten.forget() : environment.now(), undefined, scope)
      const own = isOwn ? [...run.calls.keys()] : []
      for (const callId of own) calls.drop(callId)
      if (isOwn) onForgotten(undefined)
      // Each of them as well: a record may still be on its way into a storage that takes its time.
      await Promise.all([records.clear(scope), ...own.map((callId) => records.remove(callId))])
    },
    close: async () => {
      closing.abort(closedError())
      const written = [...run.tasks.values()].flatMap((task) => task.calls.map((entry) => run.write(entry)))
      const callIds = [...run.calls.keys()]
      for (const callId of callIds) calls.leave(callId, 'The task client was closed; its tasks keep running.')
      run.close()
      push.close()
      tabs.close()
      await Promise.all(written)
      for (const callId of callIds) store.removeCall(callId)
    },
  }
}

function closedError(): TaskConfigurationError {
  return new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().')
}
