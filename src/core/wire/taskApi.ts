import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import type { JsonObject } from '../protocol/json.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import type { CallHooks, ListenHooks } from '../protocol/taskPort.js'

/** What a `tools/call` carries in an era in which the client has to ask for a task and for progress. */
export interface TaskOptIn {
  /** Members of the call's `params`, such as `task`. */
  readonly params: JsonObject
  /** Members of the call's `_meta`, such as `progressToken`. */
  readonly meta: JsonObject
  /** Takes the parameters of a `notifications/progress`, where the SDK chooses the token. Undefined: they are not wanted. */
  readonly onProgress: ((params: unknown) => void) | undefined
  /** Whether a result is a task; the server may run the tool at once all the same. */
  isTask(result: JsonObject): boolean
  /** @throws {TaskProtocolError} */
  parse(result: JsonObject): Task
  /** The call is answered, or given up. */
  end(): void
}

/** Tasks as one era of the protocol has them. Methods reject as those of `TaskPort` do. */
export interface TaskApi {
  /** Whether the server says that it serves tasks. */
  readonly isServed: boolean
  /** How long the server knows by its key that a `tools/call` came before, in ms; 0 where it takes none. */
  readonly keyTtlMs: number
  /** How a call of this tool asks for a task, and for progress where somebody wants it; undefined: for neither. Absent: no call has to. */
  optIn?(tool: string, onProgress?: CallHooks['onProgress']): Promise<TaskOptIn | undefined>
  /** `asked`: the input requests that are known without a response, which another connection may have been told. */
  getTask(
    taskId: string,
    signal: AbortSignal | undefined,
    asked?: Readonly<Record<string, InputRequest>>,
  ): Promise<DetailedTask>
  updateTask(
    taskId: string,
    inputResponses: Record<string, InputResponse>,
    signal: AbortSignal | undefined,
  ): Promise<void>
  cancelTask(taskId: string, signal: AbortSignal | undefined): Promise<void>
  listen(taskIds: readonly string[], hooks: ListenHooks): Promise<void>
  /** Closes what is held open for a task that is no longer polled here. */
  release(taskId: string): void
  /** The connection is over. */
  close(): void
}
