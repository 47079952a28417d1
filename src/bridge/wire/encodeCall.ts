import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { ConnectionFailedError, isTaskError } from '../../core/protocol/errors.js'
import type { JsonObject } from '../../core/protocol/json.js'
import { argumentsHash } from '../../core/record/argumentsHash.js'
import type { CompletedToolCall, ToolCallState } from '../../core/record/toolCallState.js'
import { type CallOnWire, type CallRef, givenKey } from './messages.js'

/** How pages name a call of the backend. */
export function refOf({ callId, name, key }: Pick<ToolCallState, 'callId' | 'name' | 'key'>): CallRef {
  return key === undefined ? { id: callId } : { name, key }
}

/** What is sent of a call: neither its arguments, but for a hash of them, nor the id of its task, and of its result what `select` returns. */
export function encodeCall(state: ToolCallState, select: (call: CompletedToolCall) => CallToolResult): CallOnWire {
  const { callId, arguments: args, task, inputResponses, error, lastError, ...rest } = state
  const { taskId: _, ...shownTask } = task ?? { taskId: '' }
  return {
    ...rest,
    ...(state.key === undefined && { id: callId }),
    ...(args && givenKey(state.key).key !== undefined && { argumentsHash: hashOf(args) }),
    ...(task && { task: shownTask }),
    inputResponses: Object.fromEntries(
      Object.entries(inputResponses).map(([key, response]) => [
        key,
        response.status === 'rejected' ? { ...response, error: encodeError(response.error) } : response,
      ]),
    ),
    ...(error && { error: encodeError(error) }),
    ...(lastError && { lastError: encodeError(lastError) }),
    ...(state.phase === 'completed' && { result: select(state) }),
  }
}

/** A call changes often, its arguments never. */
const hashes = new WeakMap<object, string>()

function hashOf(args: object): string {
  const known = hashes.get(args) ?? argumentsHash(args)
  hashes.set(args, known)
  return known
}

const UNREACHABLE = 'The backend of this app cannot reach its MCP server at the moment.'
const UNKNOWN = 'Something failed in the backend of this app. Its log says more.'

/** An error as JSON. Where the MCP server is, and what failed below Taskwire, stays in the backend. */
export function encodeError(error: Error): JsonObject {
  if (!isTaskError(error)) return { name: 'TaskError', message: UNKNOWN }
  const { cause: _, callId: __, ...json } = error.toJSON()
  return error instanceof ConnectionFailedError ? { ...json, message: UNREACHABLE } : json
}
