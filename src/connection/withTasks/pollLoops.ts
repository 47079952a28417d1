import { onAbort } from '../../call/abort.js'
import { type PollPolicy, pollInterval } from '../../call/pollPolicy.js'
import { type PollResponse, type PollState, pollMessage } from '../../call/pollSchedule.js'
import { withRequestTimeout } from '../../call/requests.js'
import { takeSnapshot } from '../../call/snapshotOrder.js'
import { untilOnline } from '../../call/untilOnline.js'
import type { Environment } from '../../environment/environment.js'
import { asError } from '../../protocol/asError.js'
import { TaskProtocolError } from '../../protocol/errors.js'
import { type DetailedTask, isTerminal, isTerminalTask, type Task, type TerminalTask } from '../../protocol/task.js'

/** The polls of tasks, one loop each: a server may have answered two calls with one task. */
export interface PollLoops {
  /** Follows a task to its end, and calls `onSnapshot` on the way. Rejects with the signal's reason. */
  follow(task: Task, follower: FollowerOptions): Promise<TerminalTask>
}

export interface PollLoopsOptions {
  readonly environment: Environment
  readonly policy: PollPolicy
}

interface FollowerOptions {
  readonly signal: AbortSignal
  readonly getTask: (signal: AbortSignal) => Promise<DetailedTask>
  readonly onSnapshot: (task: DetailedTask) => void
}

interface Loop {
  readonly end: Promise<TerminalTask>
  readonly controller: AbortController
  readonly listeners: Set<(task: DetailedTask) => void>
  latest?: DetailedTask
}

export function createPollLoops({ environment, policy }: PollLoopsOptions): PollLoops {
  const loops = new Map<string, Loop>()

  function start(task: Task, getTask: FollowerOptions['getTask']): Loop {
    const controller = new AbortController()
    const listeners: Loop['listeners'] = new Set()
    const onSnapshot = (snapshot: DetailedTask) => {
      loop.latest = snapshot
      for (const listener of [...listeners]) listener(snapshot)
    }
    const end = pollUntilDone(task, { environment, policy, signal: controller.signal, getTask, onSnapshot })
    const loop: Loop = { end, controller, listeners }
    loops.set(task.taskId, loop)
    return loop
  }

  return {
    follow: (task, { signal, getTask, onSnapshot }) =>
      new Promise((resolve, reject) => {
        const loop = loops.get(task.taskId) ?? start(task, getTask)
        let stopListening = () => {}
        const leave = () => {
          stopListening()
          loop.listeners.delete(onSnapshot)
          if (loop.listeners.size > 0) return
          // Others may follow the task by another loop since.
          if (loops.get(task.taskId) === loop) loops.delete(task.taskId)
          loop.controller.abort()
        }
        loop.listeners.add(onSnapshot)
        if (loop.latest !== undefined) onSnapshot(loop.latest)
        loop.end.then(resolve, reject).finally(leave)
        stopListening = onAbort(signal, () => {
          reject(signal.reason)
          leave()
        })
      }),
  }
}

interface PollLoopOptions extends PollLoopsOptions {
  readonly signal: AbortSignal
  readonly getTask: (signal: AbortSignal) => Promise<DetailedTask>
  readonly onSnapshot: (task: DetailedTask) => void
}

/** Polls one task to its end, in this page alone. */
async function pollUntilDone(created: Task, options: PollLoopOptions): Promise<TerminalTask> {
  const { environment, policy, signal } = options
  const receivedAt = environment.now()
  const dueAt = isTerminal(created.status) ? receivedAt : receivedAt + pollInterval(created.pollIntervalMs, policy)
  let state: PollState = {
    task: created,
    passedOver: undefined,
    knownAt: receivedAt,
    receivedAt,
    dueAt,
    earliestAt: dueAt,
    failureCount: 0,
    violations: 0,
    refusals: undefined,
  }
  for (;;) {
    await untilOnline({ environment, signal, dueAt: state.dueAt })
    const startedAt = environment.now()
    const response = await poll(state.task.taskId, options)
    signal.throwIfAborted()
    const now = environment.now()
    const circumstances = {
      startedAt,
      now,
      era: 'modern' as const,
      policy,
      isPushed: false,
      jitter: environment.random(),
    }
    const message = response && pollMessage(state, { ...circumstances, response })
    if (message?.type === 'ended') throw message.error
    if (message?.type === 'snapshot') {
      const { task } = message
      if (isTerminalTask(task)) return task
      // One poll at a time: each is sent after the last response has arrived.
      const order = takeSnapshot(state, task, true)
      state = { ...state, ...order, knownAt: now, dueAt: message.nextPollAt, failureCount: 0, violations: 0 }
      if (order.task === task) options.onSnapshot(task)
    } else if (message?.type === 'poll-failed') {
      const violations = message.error instanceof TaskProtocolError ? state.violations + 1 : 0
      state = { ...state, dueAt: message.nextPollAt, failureCount: message.failureCount, violations }
    } else state = { ...state, dueAt: now + pollInterval(state.task.pollIntervalMs, policy) }
  }
}

/** One `tasks/get`; undefined where the page went away meanwhile: an open request can keep it out of the back-forward cache. */
async function poll(taskId: string, options: PollLoopOptions): Promise<PollResponse | undefined> {
  const { environment, policy, signal } = options
  const controller = new AbortController()
  let isHidden = false
  const stopAborting = onAbort(signal, () => controller.abort(signal.reason))
  const stopListening = environment.onPageHide(() => {
    isHidden = true
    controller.abort()
  })
  try {
    const task = await withRequestTimeout({ taskId, environment, policy }, controller, options.getTask)
    if (task.taskId === taskId) return { task }
    return { error: new TaskProtocolError('the response is about another task', { source: 'tasks/get', taskId }) }
  } catch (error) {
    return isHidden ? undefined : { error: asError(error) }
  } finally {
    stopAborting()
    stopListening()
  }
}
