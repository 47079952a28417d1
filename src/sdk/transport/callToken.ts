import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { InputRequest, InputResponse } from '../../core/protocol/inputRequest.js'
import type { Task } from '../../core/protocol/task.js'
import type { TaskOptIn } from '../../core/wire/taskApi.js'

/**
 * A `tools/call` that a task client makes through its SDK client. A token under {@link CALL_TOKEN_META} in the call's
 * `_meta` refers to it; the token never leaves the page.
 */
export interface OwnCall {
  /** Responds to an input request that a server of an earlier revision sends, which names no call. */
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
 * error: its stack is never read, and would cost more than the rest of it.
 */
export class TaskCreated {
  readonly task: Task

  constructor(task: Task) {
    this.task = task
  }
}

/** `_meta` key of the token that refers to an {@link OwnCall}. */
export const CALL_TOKEN_META = 'dev.taskwire/call'
