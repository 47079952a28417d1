import type { Environment } from '../../core/environment/environment.js'
import { TaskInputRequiredError } from '../../core/protocol/errors.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { OnProtocolIssue } from '../../core/protocol/task.js'
import { taskOutcome } from '../../core/record/taskOutcome.js'
import { onAbort } from '../../core/time/abort.js'
import type { PollPolicy } from '../../core/time/policy.js'
import { deliver } from '../../core/time/retry.js'
import { getTask, updateTask } from '../../core/wire/modern/tasks.js'
import type { FollowTask } from './heldCalls.js'
import { createPollLoops } from './pollLoops.js'

/**
 * How long an input request may stay open, in ms. The SDK client does not tell when it gives up a call whose
 * handlers it is asking, so after this long the call counts as given up: the polling ends.
 */
export const INPUT_DEADLINE_MS: number = 15 * 60_000

export interface FollowOptions {
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly onIssue: OnProtocolIssue | undefined
}

/** Follows a task for as long as the SDK client waits for its call, and has the client asked what the task asks. */
export function followUntilDone({ environment, policy, onIssue }: FollowOptions): FollowTask {
  const loops = createPollLoops({ environment, policy })
  return async (task, { transport, signal, onStatus, ask }) => {
    const { taskId } = task
    const seen = new Set<string>()
    /** Why the server has not taken the response to an input request. */
    const refused = new Map<string, unknown>()
    const ending = new AbortController()
    const over = ending.signal
    const stopListening = onAbort(signal, () => ending.abort(signal.reason))
    let isAsking = false
    let fail: (error: unknown) => void = () => {}
    const failed = new Promise<never>((_, reject) => {
      fail = reject
    })

    /** The responses of the client, unless the deadline comes first. */
    async function inTime<T>(responses: Promise<T>): Promise<T> {
      let release = () => {}
      const late = new Promise<never>((_, reject) => {
        const timer = environment.setTimeout(() => reject(noResponse(taskId)), INPUT_DEADLINE_MS)
        const unsubscribe = onAbort(over, () => reject(over.reason))
        release = () => {
          unsubscribe()
          environment.clearTimeout(timer)
        }
      })
      try {
        return await Promise.race([responses, late])
      } finally {
        release()
      }
    }

    /** One round at a time: the client's multi round-trip knows no more. Input requests that come meanwhile are in the next snapshot. */
    async function askClient(inputRequests: Readonly<Record<string, InputRequest>>): Promise<void> {
      for (const key of Object.keys(inputRequests)) if (refused.has(key)) throw refused.get(key)
      const fresh = Object.entries(inputRequests).filter(([key]) => !seen.has(key))
      if (isAsking || fresh.length === 0) return
      isAsking = true
      for (const [key] of fresh) seen.add(key)
      const responses = await inTime(ask(Object.fromEntries(fresh)))
      const send = (abort: AbortSignal) => updateTask(transport, taskId, responses, abort)
      // Another client may have answered meanwhile, or the server asks no longer: the next snapshot says.
      await deliver({ taskId, environment, policy, signal, send, onRetry: () => {} }).catch((error: unknown) => {
        for (const [key] of fresh) refused.set(key, error)
      })
      isAsking = false
    }

    const following = loops.follow(task, {
      signal: over,
      getTask: (abort) => getTask(transport, taskId, abort, onIssue),
      onSnapshot: (snapshot) => {
        onStatus(snapshot)
        if (snapshot.status === 'input_required') askClient(snapshot.inputRequests).catch(fail)
      },
    })
    try {
      return taskOutcome(await Promise.race([following, failed]))
    } finally {
      stopListening()
      ending.abort()
    }
  }
}

function noResponse(taskId: string): TaskInputRequiredError {
  const minutes = INPUT_DEADLINE_MS / 60_000
  return new TaskInputRequiredError(
    `The task asked for input, and no response came within ${minutes} minutes. The task may still be waiting for it.`,
    { taskId },
  )
}
