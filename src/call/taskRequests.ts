import type { Environment } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import { TaskCancelledError } from '../protocol/errors.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { type CallEvent, isTracked, taskIdOf } from './call.js'
import type { CallEntry } from './callEntry.js'
import type { PollPolicy } from './pollPolicy.js'
import { type DeliveryOptions, deliver } from './requests.js'
import { createSemaphore } from './semaphore.js'
import type { TaskPort } from './taskPort.js'

export interface TaskRequestsOptions {
  readonly port: Pick<TaskPort, 'cancelTask' | 'updateTask'>
  readonly environment: Environment
  readonly policy: PollPolicy
  readonly dispatch: (entry: CallEntry, event: CallEvent) => void
  readonly onError: (error: unknown, callId: string, operation: 'respond' | 'cancel') => void
}

/** What is asked of the server for a call until it has taken it, or the call is left. */
export interface TaskRequests {
  /** Sends `tasks/update`. */
  update(entry: CallEntry, taskId: string, inputKey: string, response: InputResponse): Promise<void>
  /** Sends `tasks/cancel`, once; a call that is no task yet is not made. */
  cancel(entry: CallEntry): Promise<void>
}

/** How many `tasks/update` may be under way at once: the connections that a browser opens to one origin over HTTP/1.1. */
const MAX_UPDATES = 6

export function createTaskRequests({
  port,
  environment,
  policy,
  dispatch,
  onError,
}: TaskRequestsOptions): TaskRequests {
  const inLine = createSemaphore(MAX_UPDATES)

  async function deliverFor(
    entry: CallEntry,
    taskId: string,
    request: Pick<DeliveryOptions, 'send' | 'inLine' | 'onRetry'>,
  ): Promise<void> {
    const controller = new AbortController()
    entry.requests ??= new Set()
    entry.requests.add(controller)
    try {
      await deliver({ ...request, taskId, environment, policy, signal: controller.signal })
    } finally {
      entry.requests.delete(controller)
    }
  }

  async function sendCancel(entry: CallEntry, taskId: string): Promise<void> {
    const { callId } = entry.call
    // The call may be made anew while this is under way.
    const isCurrent = () => taskIdOf(entry.call) === taskId
    dispatch(entry, { type: 'cancel', status: 'sending' })
    try {
      await deliverFor(entry, taskId, {
        send: (signal) => port.cancelTask(taskId, signal),
        onRetry: (error) => {
          onError(error, callId, 'cancel')
          if (isCurrent()) dispatch(entry, { type: 'cancel', status: 'retrying', error })
        },
      })
      if (isCurrent()) dispatch(entry, { type: 'cancel', status: 'requested' })
    } catch (error) {
      if (isCurrent()) {
        entry.cancelling = undefined
        dispatch(entry, { type: 'cancel', status: 'none', error: asError(error) })
      }
      throw error
    }
  }

  return {
    update: (entry, taskId, inputKey, response) =>
      deliverFor(entry, taskId, {
        inLine,
        send: (signal) => port.updateTask(taskId, { [inputKey]: response }, signal),
        onRetry: (error) => {
          onError(error, entry.call.callId, 'respond')
          if (taskIdOf(entry.call) === taskId) dispatch(entry, { type: 'input', inputKey, input: { isRetrying: true } })
        },
      }),
    cancel: async (entry) => {
      const { call } = entry
      if (entry.left !== undefined || call.stage === 'ending') return
      if (!isTracked(call)) return entry.start?.abort(new TaskCancelledError(undefined, { callId: call.callId }))
      entry.cancelling ??= sendCancel(entry, call.task.taskId)
      return entry.cancelling
    },
  }
}
