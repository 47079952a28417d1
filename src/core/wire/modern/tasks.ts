import { TaskProtocolError } from '../../protocol/errors.js'
import { keyTtlMs, supportsTasks } from '../../protocol/extension.js'
import type { InputResponse } from '../../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { type DetailedTask, type OnProtocolIssue, parseDetailedTask } from '../../protocol/task.js'
import type { ListenHooks } from '../../protocol/taskPort.js'
import { taskRequestError } from '../errors.js'
import type { TaskApi } from '../taskApi.js'
import type { ServerNotification, TaskRequester } from '../taskRequester.js'

/** Tasks of 2026-07-28 (SEP-2663): every request declares the extension, and the server decides. */
export function modernTasks(transport: TaskRequester, capabilities: unknown, onIssue: OnProtocolIssue): TaskApi {
  return {
    isServed: supportsTasks(capabilities),
    keyTtlMs: keyTtlMs(capabilities),
    getTask: (taskId, signal) => getTask(transport, taskId, signal, onIssue),
    updateTask: (taskId, inputResponses, signal) => updateTask(transport, taskId, inputResponses, signal),
    cancelTask: (taskId, signal) => cancelTask(transport, taskId, signal),
    listen: (taskIds, hooks) => subscribe(transport, taskIds, hooks, onIssue),
    release: () => {},
    close: () => {},
  }
}

/** `tasks/get` (SEP-2663, "Task Polling"). */
export async function getTask(
  transport: TaskRequester,
  taskId: string,
  signal: AbortSignal | undefined,
  onIssue: OnProtocolIssue | undefined,
): Promise<DetailedTask> {
  const result = await request(transport, 'tasks/get', { taskId }, signal)
  if (isJsonObject(result) && (result['taskId'] ?? taskId) !== taskId) {
    throw new TaskProtocolError('the response is about another task', { source: 'tasks/get', taskId })
  }
  return parseDetailedTask(result, 'tasks/get', onIssue)
}

/** `tasks/update` (SEP-2663, "Task Update Requests"). The acknowledgement says only that it arrived. */
export async function updateTask(
  transport: TaskRequester,
  taskId: string,
  inputResponses: Record<string, InputResponse>,
  signal: AbortSignal | undefined,
): Promise<void> {
  await request(transport, 'tasks/update', { taskId, inputResponses }, signal)
}

/** `tasks/cancel` (SEP-2663, "Task Cancellation"). The acknowledgement says only that it arrived. */
async function cancelTask(transport: TaskRequester, taskId: string, signal: AbortSignal | undefined): Promise<void> {
  await request(transport, 'tasks/cancel', { taskId }, signal)
}

/** `subscriptions/listen` for tasks (SEP-2663, "Task Status Notifications"). Resolves when the stream has ended. */
async function subscribe(
  transport: TaskRequester,
  taskIds: readonly string[],
  hooks: ListenHooks,
  onIssue: OnProtocolIssue,
): Promise<void> {
  const onNotification = ({ method, params }: ServerNotification) => {
    if (method === 'notifications/tasks') {
      try {
        hooks.onTask(parseDetailedTask(params, 'notifications/tasks', onIssue))
      } catch (error) {
        // The next poll says what is the case.
        if (error instanceof TaskProtocolError) onIssue(error)
      }
    }
    if (method === 'notifications/subscriptions/acknowledged') hooks.onAcknowledged(acknowledgedIds(params, taskIds))
  }
  try {
    await transport.listen({ notifications: { taskIds } }, onNotification, hooks.signal)
  } catch (error) {
    if (hooks.signal.aborted) throw hooks.signal.reason
    const [taskId = ''] = taskIds
    throw taskRequestError(error, 'notifications/tasks', taskId)
  }
}

/** The ids that an acknowledgement names, as far as they were asked for. */
function acknowledgedIds(params: JsonObject | undefined, asked: readonly string[]): string[] {
  const acknowledged = isJsonObject(params?.['notifications']) ? params['notifications']['taskIds'] : undefined
  return Array.isArray(acknowledged) ? asked.filter((id) => acknowledged.includes(id)) : []
}

/** Servers of earlier revisions send no `resultType`; any but "complete" is invalid (MCP 2026-07-28, "ResultType"). */
async function request(
  transport: TaskRequester,
  method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
  params: JsonObject & { taskId: string },
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { taskId } = params
  let result: unknown
  try {
    result = await transport.request(method, params, signal)
  } catch (error) {
    throw signal?.aborted ? signal.reason : taskRequestError(error, method, taskId)
  }
  const { resultType = 'complete' } = isJsonObject(result) ? result : {}
  if (resultType === 'complete') return result
  throw new TaskProtocolError('the resultType is not "complete"', { source: method, taskId })
}
