import { isSettled } from '../engine/toolCallReducer.js'
import type { ToolCallState } from '../engine/toolCallState.js'
import {
  ConnectionFailedError,
  PageOutdatedError,
  TaskConfigurationError,
  TaskProtocolError,
  TaskUnreachableError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { TaskRecord } from '../storage/taskRecord.js'
import type { ToolCallParams } from './taskClient.js'

/** A call that has just begun. */
export function initialState(record: TaskRecord, args: ToolCallParams['arguments']): ToolCallState {
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

/** A call that has failed before it began. */
export function failedState(record: TaskRecord, args: ToolCallParams['arguments'], reason: unknown): ToolCallState {
  const error = reason instanceof Error ? reason : new Error(String(reason))
  return { ...initialState(record, args), phase: 'failed', error }
}

/**
 * Whether to return a call that is known instead of making another. An ended one counts, its failure
 * included, unless making the call again cannot run the tool twice: nothing was sent, the server
 * refused it, or its record still leads to the task.
 */
export function isReusable(state: ToolCallState, fresh: boolean | 'settled'): boolean {
  if (!isSettled(state.phase)) return fresh !== true
  if (fresh !== false) return false
  const { error } = state
  return !(
    error instanceof ConnectionFailedError ||
    error instanceof PageOutdatedError ||
    error instanceof TaskConfigurationError ||
    error instanceof ToolCallRejectedError ||
    error instanceof TaskUnreachableError ||
    // An answer to the `tools/call` itself that breaks the protocol is no proof that the tool did not run.
    (error instanceof TaskProtocolError && state.task !== undefined)
  )
}
