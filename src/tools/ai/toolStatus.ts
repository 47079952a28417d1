import { isJsonObject } from '../../core/protocol/json.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'
import type { McpToolStatus } from './mcpTool.js'

/** The state of a call as a preliminary result; undefined before it is a task, and once it has ended. */
export function toolStatus(state: ToolCallState): McpToolStatus | undefined {
  const { callId, phase, task, progress, inputRequests, isCancelling, network } = state
  if (phase !== 'working' && phase !== 'input_required') return undefined
  return {
    callId,
    phase,
    ...(task?.statusMessage !== undefined && { statusMessage: task.statusMessage }),
    ...(progress && { progress }),
    ...(Object.keys(inputRequests).length > 0 && { inputRequests }),
    ...(isCancelling && { isCancelling }),
    network,
  }
}

/**
 * True if a tool's output is preliminary: the call is running, and this is its state.
 *
 * @example
 * ```ts
 * if (part.state === 'output-available' && isToolStatus(part.output)) show(part.output.statusMessage ?? 'Working')
 * ```
 */
export function isToolStatus(output: unknown): output is McpToolStatus {
  // A result may have any members beside its content.
  if (!isJsonObject(output) || 'content' in output) return false
  const { callId, phase } = output
  return typeof callId === 'string' && (phase === 'working' || phase === 'input_required')
}
