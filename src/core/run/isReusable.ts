import {
  ConnectionFailedError,
  PageOutdatedError,
  TaskConfigurationError,
  TaskProtocolError,
  TaskUnreachableError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import { isSettled, type ToolCallState } from '../record/toolCallState.js'

/** Whether to call the tool again although a call with this key is known. */
export type Repeat = 'never' | 'settled' | 'always'

/**
 * Whether to return a call that is known instead of making another. An ended one counts, its failure
 * included, unless making the call again cannot run the tool twice: nothing was sent, the server
 * refused it, or its record still leads to the task.
 */
export function isReusable(state: ToolCallState, repeat: Repeat): boolean {
  if (!isSettled(state)) return repeat !== 'always'
  if (repeat !== 'never') return false
  const { error } = state
  return !(
    error instanceof ConnectionFailedError ||
    error instanceof PageOutdatedError ||
    error instanceof TaskConfigurationError ||
    error instanceof ToolCallRejectedError ||
    error instanceof TaskUnreachableError ||
    // A response to the `tools/call` itself that breaks the protocol is no proof that the tool did not run.
    (error instanceof TaskProtocolError && state.task !== undefined)
  )
}
