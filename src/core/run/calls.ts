import { TaskConfigurationError } from '../protocol/errors.js'
import type { ToolCallRequest } from '../protocol/taskPort.js'
import { createKeyedQueue } from '../storage/keyedQueue.js'
import type { TabMessage } from '../tabs/messages.js'
import type { Election } from '../tabs/tabs.js'
import { createScheduler } from '../time/scheduler.js'
import { createSemaphore } from '../time/semaphore.js'
import { open, type ResumeOptions, resumeTask, resumeToolCalls, type StartOptions, start } from './begin.js'
import type { TaskEntry } from './entries.js'
import { forget } from './forgotten.js'
import { type CallHandle, createHandle } from './handle.js'
import { onLeaderChange } from './leading.js'
import { wake } from './looking.js'
import { pollSoon, setAllBack, watchPage, writeAll } from './page.js'
import { drop, leave } from './pageCalls.js'
import { addPoll } from './polls.js'
import { type CallsOptions, now, type Run, type RunEvents, take } from './run.js'
import { endTask } from './settle.js'
import { tell } from './showing.js'

/** The calls of this page: each once, however often it is asked for. */
export interface Calls {
  start(request: ToolCallRequest, options: StartOptions): CallHandle
  resumeTask(task: { taskId: string; name?: string }, options: ResumeOptions): CallHandle
  resumeToolCalls(filter?: { callId?: string }): Promise<readonly CallHandle[]>
  get(callId: string): CallHandle | undefined
  forget(callId: string): Promise<void>
  forgetAll(scope: string | undefined): Promise<void>
  /** Takes what another tab says. */
  receive(message: Exclude<TabMessage, { type: 'leader' }>): void
  /** Another tab is there: tells it what this one has learned while it knew of none. */
  onPeer(): void
  onLeaderChange(election: Election, isStolen: boolean): void
  /** What kept polls from passing is over: they need not wait for the end of their backoff. */
  pollSoon(): void
  /** Resolves when what is known is written down. */
  close(): Promise<void>
}

/** How many `tasks/update` may be under way at once: the connections that a browser opens to one origin over HTTP/1.1. */
const MAX_UPDATES = 6

const EVENTS: RunEvents = { setBack: setAllBack, first: watchPage, due: addPoll, end: endTask }

function createRun(options: CallsOptions): Run {
  const { environment } = options
  const run: Run = {
    ...options,
    calls: new Map(),
    tasks: new Map(),
    scheduler: createScheduler<TaskEntry>(
      { now: () => now(run), setTimeout: environment.setTimeout, clearTimeout: environment.clearTimeout },
      (task, lateMs) => take(run, () => wake(run, task, lateMs)),
    ),
    closing: new AbortController(),
    queue: [],
    isTaking: false,
    lastNow: environment.now(),
    waiting: new Set(),
    underWay: new Map(),
    push: undefined,
    unwatch: undefined,
    forgotten: new Map(),
    lastForgottenAt: 0,
    ended: { keyed: new Set(), unkeyed: new Set(), recorded: new Set() },
    wanted: new Map(),
    updatesInLine: createSemaphore(MAX_UPDATES),
    inTurn: createKeyedQueue(),
    on: EVENTS,
  }
  return run
}

export function createCalls(options: CallsOptions): Calls {
  const run = createRun(options)
  const { environment, records, store, tabs, owner, onForgotten } = run
  return {
    start: (request, how) => start(run, request, how),
    resumeTask: (task, how) => resumeTask(run, task, how),
    resumeToolCalls: (filter) => resumeToolCalls(run, filter),
    get: (callId) => {
      const entry = run.calls.get(callId)
      if (entry === undefined) return undefined
      const { stage } = entry.call
      // An outcome is fetched only while something waits for it.
      return stage.name === 'recorded' ? createHandle(run, open(run, stage.record)) : createHandle(run, entry, false)
    },
    receive: (message) => run.receive(run, message),
    onPeer: () => {
      for (const task of run.tasks.values()) if (task.election?.isLeader()) tell(run, task)
    },
    onLeaderChange: (election, isStolen) => onLeaderChange(run, election, isStolen),
    pollSoon: () => pollSoon(run),
    forget: (callId) => {
      tabs.postForgotten(forget(run, callId), callId)
      drop(run, callId)
      onForgotten(callId)
      return records.remove(callId)
    },
    forgetAll: async (scope = owner.scope) => {
      const isOwn = scope === owner.scope
      tabs.postForgotten(isOwn ? forget(run) : environment.now(), undefined, scope)
      const own = isOwn ? [...run.calls.keys()] : []
      for (const callId of own) drop(run, callId)
      if (isOwn) onForgotten(undefined)
      // Each of them as well: a record may still be on its way into a storage that takes its time.
      await Promise.all([records.clear(scope), ...own.map((callId) => records.remove(callId))])
    },
    close: async () => {
      run.closing.abort(
        new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().'),
      )
      const written = writeAll(run)
      const callIds = [...run.calls.keys()]
      for (const callId of callIds) leave(run, callId, 'The task client was closed; its tasks keep running.')
      run.scheduler.close()
      run.push?.close()
      tabs.close()
      await Promise.all(written)
      for (const callId of callIds) store.removeCall(callId)
    },
  }
}
