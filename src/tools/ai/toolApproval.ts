import type { TaskClient } from '../../core/client/taskClient.js'
import { TaskInputError } from '../../core/protocol/errors.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { isToolStatus } from './toolStatus.js'

/** An input request that the user can approve or deny, in the shape of an approval of the AI SDK. */
export interface ToolApproval {
  /** Identifies the call and the input request. */
  readonly id: string
  /** The server's question. Render it as text. */
  readonly message: string
}

/**
 * Returns the approval that a running tool needs, to show in the approval card of the app: an input request whose form is
 * empty or has a single yes-or-no field. Returns undefined if the tool needs no input, or needs other input; show a form
 * for that.
 *
 * @example
 * ```ts
 * const approval = toolApprovalOf(part.output)
 * if (approval) await respondToToolApproval(client, { id: approval.id, approved: confirm(approval.message) })
 * ```
 */
export function toolApprovalOf(output: unknown): ToolApproval | undefined {
  if (!isToolStatus(output)) return undefined
  for (const [inputKey, request] of Object.entries(output.inputRequests ?? {})) {
    if (answerTo(request, true) !== undefined && request.method === 'elicitation/create') {
      return { id: JSON.stringify([output.callId, inputKey]), message: request.params.message }
    }
  }
  return undefined
}

/**
 * Answers the request that {@link toolApprovalOf} found, with the same arguments as `addToolApprovalResponse` of the AI
 * SDK. It fills in a form with a yes-or-no field, and accepts or declines an empty form.
 *
 * @throws {TaskInputError} if the input request is gone or answered, or the id does not come from {@link toolApprovalOf}.
 */
export async function respondToToolApproval(
  client: Pick<TaskClient, 'getToolCall'>,
  { id, approved }: { id: string; approved: boolean },
): Promise<void> {
  const [callId, inputKey] = readId(id)
  const call = client.getToolCall(callId)
  const { inputRequests = {} } = call?.getState() ?? {}
  const request = Object.hasOwn(inputRequests, inputKey) ? inputRequests[inputKey] : undefined
  const answer = request && answerTo(request, approved)
  if (call === undefined || answer === undefined) throw notAsked(callId)
  await call.respond(inputKey, answer)
}

/** The call and the input request that an id names. It may be of anything: an app has other approvals, too. */
function readId(id: string): [callId: string, inputKey: string] {
  try {
    const [callId, inputKey]: unknown[] = JSON.parse(id)
    if (typeof callId === 'string' && typeof inputKey === 'string') return [callId, inputKey]
  } catch {
    // No JSON, or no list.
  }
  throw notAsked()
}

function notAsked(callId?: string): TaskInputError {
  return new TaskInputError('The approval is no longer needed.', { callId })
}

/** Undefined where yes or no is no answer. */
function answerTo(request: InputRequest, approved: boolean): InputResponse | undefined {
  if (request.method !== 'elicitation/create' || request.params.mode === 'url') return undefined
  const { properties = {} } = request.params.requestedSchema
  const [[name, field] = [], ...others] = isJsonObject(properties) ? Object.entries(properties) : []
  if (others.length > 0) return undefined
  if (name === undefined) return approved ? { action: 'accept', content: {} } : { action: 'decline' }
  return isJsonObject(field) && field['type'] === 'boolean'
    ? { action: 'accept', content: { [name]: approved } }
    : undefined
}
