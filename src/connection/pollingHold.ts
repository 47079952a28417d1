import { onAbort } from '../call/abort.js'
import { type PollPolicy, pollInterval } from '../call/pollPolicy.js'
import { isStale, type PollResponse, type PollState, pollMessage } from '../call/pollSchedule.js'
import { deliver, withRequestTimeout } from '../call/requests.js'
import { taskOutcome } from '../call/taskOutcome.js'
import { untilOnline } from '../call/untilOnline.js'
import type { Environment } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import { TaskInputRequiredError, TaskProtocolError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import {
  type DetailedTask,
  isTerminal,
  isTerminalTask,
  type OnProtocolIssue,
  type Task,
  type TerminalTask,
} from '../protocol/task.js'
import type { TaskHold } from './callClaim.js'
import { getTask, updateTask } from './taskRequests.js'

/**
 * How long a question may stay open, in ms. The SDK client does not tell when it gives up a call whose
 * handlers it is asking, so after this long nobody is taken to wait: the polling ends.
 */
export const QUESTION_DEADLINE_MS: number = 15 * 60_000

export interface PollingHoldOptions {
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly onIssue: OnProtocolIssue | undefined
}

/** Follows a task for as long as the SDK client waits for its call, and has the client asked what the task asks. */
export function pollingHold({ environment, policy, onIssue }: PollingHoldOptions): TaskHold {
  return async (task, { transport, signal, onStatus, ask }) => {
    const { taskId } = task
    const seen = new Set<string>()
    const ending = new AbortController()
    const over = AbortSignal.any([signal, ending.signal])
    let isAsking = false
    let fail: (error: unknown) => void = () => {}
    const failed = new Promise<never>((_, reject) => {
      fail = reject
    })

    /** What the client answers, unless the deadline comes first. */
    async function inTime<T>(answers: Promise<T>): Promise<T> {
      let release = () => {}
      const late = new Promise<never>((_, reject) => {
        const timer = environment.setTimeout(() => reject(nobodyAnswered(taskId)), QUESTION_DEADLINE_MS)
        const unsubscribe = onAbort(over, () => reject(over.reason))
        release = () => {
          unsubscribe()
          environment.clearTimeout(timer)
        }
      })
      try {
        return await Promise.race([answers, late])
      } finally {
        release()
      }
    }

    /** One round at a time: the client's multi round-trip knows no more. What is asked meanwhile is in the next snapshot. */
    async function pose(inputRequests: Readonly<Record<string, InputRequest>>): Promise<void> {
      const fresh = Object.entries(inputRequests).filter(([key]) => !seen.has(key))
      if (isAsking || fresh.length === 0) return
      isAsking = true
      for (const [key] of fresh) seen.add(key)
      const responses = await inTime(ask(Object.fromEntries(fresh)))
      const send = (abort: AbortSignal) => updateTask(transport, taskId, responses, abort)
      await deliver({ taskId, environment, policy, signal, send, onRetry: () => {} })
      isAsking = false
    }

    const following = pollUntilDone(task, {
      environment,
      policy,
      signal: over,
      getTask: (abort) => getTask(transport, taskId, abort, onIssue),
      onSnapshot: (snapshot) => {
        onStatus(snapshot)
        if (snapshot.status === 'input_required') pose(snapshot.inputRequests).catch(fail)
      },
    })
    try {
      return taskOutcome(await Promise.race([following, failed]))
    } finally {
      ending.abort()
      following.catch(() => {})
    }
  }
}

interface PollLoopOptions {
  readonly environment: Environment
  readonly policy: PollPolicy
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
    const circumstances = { startedAt, now, policy, isPushed: false, jitter: environment.random() }
    const message = response && pollMessage(state, { ...circumstances, response })
    if (message?.type === 'ended') throw message.error
    if (message?.type === 'snapshot') {
      const { task } = message
      if (isTerminalTask(task)) return task
      const isOld = isStale(state.task, task)
      state = {
        ...state,
        task: isOld ? state.task : task,
        knownAt: now,
        dueAt: message.nextPollAt,
        failureCount: 0,
        violations: 0,
      }
      options.onSnapshot(task)
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
    return { error: new TaskProtocolError('the answer is about another task', { source: 'tasks/get', taskId }) }
  } catch (error) {
    return isHidden ? undefined : { error: asError(error) }
  } finally {
    stopAborting()
    stopListening()
  }
}

function nobodyAnswered(taskId: string): TaskInputRequiredError {
  const minutes = QUESTION_DEADLINE_MS / 60_000
  return new TaskInputRequiredError(
    `The task asked for input, and no answer came within ${minutes} minutes. The task may still be waiting for it.`,
    { taskId },
  )
}
