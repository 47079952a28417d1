import { onAbort } from '../engine/abort.js'
import { NO_TABS } from '../engine/callTabs.js'
import { deliverAnswer } from '../engine/deliverAnswer.js'
import { followTask } from '../engine/followTask.js'
import { type PollPolicy, pollInterval } from '../engine/pollPolicy.js'
import { NO_PUSH } from '../engine/pushLink.js'
import { shareTasks } from '../engine/sharedTasks.js'
import { taskOutcome } from '../engine/taskOutcome.js'
import type { Environment } from '../environment/environment.js'
import { TaskInputRequiredError } from '../protocol/errors.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import { isTerminal, type OnProtocolIssue } from '../protocol/task.js'
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
  const { link: linkTo } = shareTasks(NO_TABS)
  return async (task, { transport, signal, onStatus, ask }) => {
    const { taskId } = task
    const receivedAt = environment.now()
    const firstPollAt = isTerminal(task.status) ? receivedAt : receivedAt + pollInterval(task.pollIntervalMs, policy)
    const link = linkTo(taskId, true, firstPollAt)
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
      const send = () => updateTask(transport, taskId, responses, signal)
      await deliverAnswer({ send, environment, policy, signal, onError: () => {} })
      isAsking = false
    }

    const following = followTask({
      taskId,
      task,
      firstPollAt,
      receivedAt,
      port: { getTask: (id, abort) => getTask(transport, id, abort, onIssue) },
      environment,
      policy,
      link,
      push: NO_PUSH,
      signal: over,
      onEvent: (event) => {
        if (event.type !== 'snapshot') return
        onStatus(event.task)
        if (event.task.status === 'input_required') pose(event.task.inputRequests).catch(fail)
      },
    })
    try {
      return taskOutcome(await Promise.race([following, failed]))
    } finally {
      ending.abort()
      link.close()
      following.catch(() => {})
    }
  }
}

function nobodyAnswered(taskId: string): TaskInputRequiredError {
  const minutes = QUESTION_DEADLINE_MS / 60_000
  return new TaskInputRequiredError(
    `The task asked for input, and no answer came within ${minutes} minutes. The task may still be waiting for it.`,
    { taskId },
  )
}
