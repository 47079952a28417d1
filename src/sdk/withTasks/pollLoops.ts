import type { Environment } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import { type DetailedTask, isTerminal, type Task, type TerminalTask } from '../../core/protocol/task.js'
import { nextPoll } from '../../core/record/decide.js'
import { failed } from '../../core/record/failed.js'
import { learn } from '../../core/record/learn.js'
import { newTaskRecord, setBack } from '../../core/record/record.js'
import { onAbort } from '../../core/time/abort.js'
import { watchClock } from '../../core/time/clock.js'
import { type PollPolicy, pollInterval } from '../../core/time/policy.js'
import { withRequestTimeout } from '../../core/time/retry.js'
import { untilOnline } from '../../core/time/untilOnline.js'

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
  const { taskId } = created
  const rules = { ...NO_INPUT_RULES, policy }
  const { now } = watchClock(environment.now, (by) => {
    record = setBack(record, by)
  })
  const receivedAt = environment.now()
  const intervalMs = pollInterval(created.pollIntervalMs, policy)
  const earliestAt = isTerminal(created.status) ? receivedAt : receivedAt + intervalMs
  let record = newTaskRecord(created, 'modern', receivedAt, earliestAt)
  for (;;) {
    await untilOnline({ environment, signal, dueAt: nextPoll(record, policy).at })
    const sentAt = now()
    record = { ...record, sentAt }
    const response = await poll(taskId, options)
    signal.throwIfAborted()
    const at = now()
    const before = record
    if (response === undefined) {
      record = { ...record, sentAt: at }
      continue
    }
    // One poll at a time: each is sent after the last response has arrived.
    const askedAt = Math.max(Math.min(sentAt, at), record.heardAt + 1)
    record =
      'task' in response
        ? learn(record, response.task, { now: at, askedAt, isPushed: false }, rules)
        : failed(record, response.error, { now: at, askedAt, jitter: environment.random() }, policy)
    const { end } = record
    if (end !== undefined) {
      if ('error' in end) throw end.error
      return end.task
    }
    if ('task' in response && record.snapshotAt !== before.snapshotAt) options.onSnapshot(response.task)
  }
}

/** The SDK client has the user asked: what a task asks is no end of it here. */
const NO_INPUT_RULES = {
  missingInput: 'wait',
  stuckAfterPolls: Number.POSITIVE_INFINITY,
  isHandled: () => true,
  missingCapability: () => undefined,
} as const

type PollResponse = { readonly task: DetailedTask } | { readonly error: Error }

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
    return { task: await withRequestTimeout({ taskId, environment, policy }, controller, options.getTask) }
  } catch (error) {
    return isHidden ? undefined : { error: asError(error) }
  } finally {
    stopAborting()
    stopListening()
  }
}
