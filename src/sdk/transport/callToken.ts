import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { Task } from '../../core/protocol/task.js'
import type { TaskOptIn } from '../../core/wire/taskApi.js'

/**
 * A `tools/call` that a task client makes through its SDK client. A token under {@link CALL_TOKEN_META} in the call's
 * `_meta` refers to it; the token never leaves the page.
 */
export interface OwnCall {
  /** Responds to an input request that the server sends before it has decided on a task. */
  readonly ask?: ((inputKey: string, request: InputRequest, signal: AbortSignal) => Promise<InputResponse>) | undefined
  /** The response to give, without asking the server: the task was followed already. */
  readonly result?: CallToolResult
  /** How the call asks for a task, in an era in which it has to. */
  readonly optIn?: TaskOptIn | undefined
  /** True if the server responded with a JSON-RPC error. */
  refused?: boolean
}

/**
 * Ends an {@link OwnCall} for the SDK client: the server has responded with a task, which the task client follows. No
 * error: nobody reads its stack, which costs more than all else of it.
 */
export class TaskCreated {
  readonly task: Task

  constructor(task: Task) {
    this.task = task
  }
}

/** `_meta` key of the token that refers to an {@link OwnCall}. */
export const CALL_TOKEN_META = 'dev.taskwire/call'

/** Puts the token of a call into each input request of its multi round-trip, so that the handler knows which call asks. */
export function withToken<R extends JsonObject>(result: R, token: unknown): R {
  const { inputRequests } = result
  if (!isJsonObject(inputRequests)) return result
  const marked = Object.entries(inputRequests).map(([key, request]) => {
    if (!isJsonObject(request)) return [key, request]
    const params = isJsonObject(request['params']) ? request['params'] : {}
    const meta = isJsonObject(params['_meta']) ? params['_meta'] : {}
    return [key, { ...request, params: { ...params, _meta: { ...meta, [CALL_TOKEN_META]: token } } }]
  })
  return { ...result, inputRequests: Object.fromEntries(marked) }
}
