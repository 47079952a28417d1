import type { JSONRPCNotification } from '@modelcontextprotocol/client'
import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import type { Task } from '../protocol/task.js'
import type { TaskOptIn } from './eraTasks.js'

/** How a `tools/call` that was answered by a task comes by its result. */
export type TaskHold = (task: Task, context: TaskHoldContext) => Promise<CallToolResult>

/** Sends requests of our own. */
export interface TaskRequester {
  /**
   * Resolves to the result.
   *
   * @throws {ProtocolError} for a JSON-RPC error; what the transport throws; the signal's reason.
   */
  request(method: string, params: JsonObject, signal?: AbortSignal): Promise<unknown>
  /** Opens a stream of notifications. Resolves when it has ended; throws as `request`. */
  listen(params: JsonObject, onNotification: (message: JSONRPCNotification) => void, signal: AbortSignal): Promise<void>
}

export interface TaskHoldContext {
  readonly transport: TaskRequester
  /** Aborts when the SDK client gives the call up: its timeout, or the app's own signal. */
  readonly signal: AbortSignal
  /** Passes a status on as progress, where the call asked for progress. */
  readonly onStatus: (task: Task) => void
  /** Has the SDK client ask its handlers. Rejects where it has declared none for a question. */
  readonly ask: (inputRequests: Readonly<Record<string, InputRequest>>) => Promise<Record<string, InputResponse>>
}

/**
 * What becomes of one particular `tools/call`. It is named by a token under {@link CLAIM_META} in the
 * call's `_meta`, which never leaves the page.
 */
export interface CallClaim {
  /** Answers a question that the server asks before it has decided on a task. */
  readonly ask?: ((inputKey: string, request: InputRequest, signal: AbortSignal) => Promise<InputResponse>) | undefined
  /** Answer with this result, without asking the server: the task was followed already. */
  readonly result?: CallToolResult
  /** How the call asks for a task, in an era in which it has to. */
  readonly optIn?: TaskOptIn | undefined
  /** Whether the server answered with a JSON-RPC error. */
  refused?: boolean
}

/** Ends a claimed `tools/call` for the SDK client: the server has answered with a task, which is followed elsewhere. */
export class TaskCreated extends Error {
  readonly task: Task

  constructor(task: Task) {
    super('The tools/call was answered by a task.')
    this.task = task
  }
}

/** `_meta` key that carries the token of a {@link CallClaim} from the call to the transport. */
export const CLAIM_META = 'dev.taskwire/call'

/** Each question of a multi round-trip with the token of its call, so that whoever answers knows whose it is. */
export function markQuestions<R extends JsonObject>(result: R, token: unknown): R {
  const { inputRequests } = result
  if (!isJsonObject(inputRequests)) return result
  const marked = Object.entries(inputRequests).map(([key, request]) => {
    if (!isJsonObject(request)) return [key, request]
    const params = isJsonObject(request['params']) ? request['params'] : {}
    const meta = isJsonObject(params['_meta']) ? params['_meta'] : {}
    return [key, { ...request, params: { ...params, _meta: { ...meta, [CLAIM_META]: token } } }]
  })
  return { ...result, inputRequests: Object.fromEntries(marked) }
}
