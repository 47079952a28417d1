import { TaskProtocolError } from '../protocol/errors.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import { type DetailedTask, type OnProtocolIssue, parseDetailedTask } from '../protocol/task.js'
import { taskRequestError } from './requestErrors.js'
import type { TaskTransport } from './taskTransport.js'

/** `tasks/get` (SEP-2663, "Task Polling"). */
export async function getTask(
  transport: TaskTransport,
  taskId: string,
  signal: AbortSignal | undefined,
  onIssue: OnProtocolIssue | undefined,
): Promise<DetailedTask> {
  const result = await request(transport, 'tasks/get', { taskId }, signal)
  if (isJsonObject(result) && result['resultType'] !== undefined && result['resultType'] !== 'complete') {
    throw new TaskProtocolError('the resultType is not "complete"', { source: 'tasks/get', taskId })
  }
  return parseDetailedTask(result, 'tasks/get', onIssue)
}

/** `tasks/update` (SEP-2663, "Task Update Requests"). The acknowledgement says only that it arrived. */
export async function updateTask(
  transport: TaskTransport,
  taskId: string,
  inputResponses: Record<string, InputResponse>,
  signal: AbortSignal | undefined,
): Promise<void> {
  await request(transport, 'tasks/update', { taskId, inputResponses }, signal)
}

/** `tasks/cancel` (SEP-2663, "Task Cancellation"). The acknowledgement says only that it arrived. */
export async function cancelTask(
  transport: TaskTransport,
  taskId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await request(transport, 'tasks/cancel', { taskId }, signal)
}

async function request(
  transport: TaskTransport,
  method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
  params: JsonObject & { taskId: string },
  signal: AbortSignal | undefined,
): Promise<unknown> {
  try {
    return await transport.request(method, params, signal)
  } catch (error) {
    throw signal?.aborted ? signal.reason : taskRequestError(error, method, params.taskId)
  }
}
