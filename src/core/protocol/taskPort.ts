import type { CallToolResult } from './callToolResult.js'
import type { InputRequest, InputResponse } from './inputRequest.js'
import type { TaskProgress } from './progress.js'
import type { DetailedTask, Task } from './task.js'

/** Members to add to `_meta`. */
export type CallMeta = Readonly<Record<string, unknown>>

/** What is called: the tool and its arguments. */
export interface ToolCallRequest {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>>
  /** Returns what is added to `_meta` of the request. Called once, when that goes out. */
  readonly meta?: (() => CallMeta) | undefined
}

/** The response to a `tools/call`. */
export type ToolCallResponse =
  | { readonly type: 'result'; readonly result: CallToolResult }
  | { readonly type: 'task'; readonly task: Task }

/** What a stream of status notifications brings. */
export interface ListenHooks {
  /** Called when the server has acknowledged the stream, with the tasks that it will push. */
  readonly onAcknowledged: (taskIds: readonly string[]) => void
  readonly onTask: (task: DetailedTask) => void
  /** Called when something is new with a task, and the server does not say what. */
  readonly onHint: (taskId: string) => void
  readonly signal: AbortSignal
}

/** What becomes of a `tools/call` on its way. */
export interface CallHooks {
  /**
   * Called when nothing but the request itself is left to be done: before it, nothing can have run. Resolves to the key
   * that the request carries, where the server takes one.
   *
   * @param keyTtlMs How long the server knows by its key that a call came before, in ms; 0 where it takes none.
   */
  readonly beforeSend: (keyTtlMs: number) => Promise<string | undefined>
  /** Responds to an input request that the server sends before it has decided on a task (multi round-trip). */
  readonly ask: (inputKey: string, request: InputRequest, signal: AbortSignal) => Promise<InputResponse>
  /** Called with the progress that the server notifies, also once the call is a task. */
  readonly onProgress: (progress: TaskProgress) => void
  readonly signal: AbortSignal
}

/** What is known of a task that is asked for. */
export interface KnownOfTask {
  /** The `era` of the port when the task was created, if that is known: a task does not survive a change of era. */
  readonly era: ReturnType<TaskPort['era']> | undefined
  /** What it asks and nobody has responded to. A server of 2025-11-25 has told it to one connection, which may be another tab's. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>
}

/**
 * What the engine needs of a connection. An implementation knows SDK, transport and protocol era;
 * the engine knows none of them.
 *
 * A request for a task rejects with `TaskExpiredError` or `TasksUnsupportedError` where that is final,
 * with `TaskProtocolError` where the response breaks the protocol, and with `TaskRequestError` where it may pass.
 */
export interface TaskPort {
  /** The protocol era that was negotiated; `modern` before. */
  era(): 'modern' | 'legacy'
  /** Connects, where nothing has done so yet: undefined where a request can go out now. Every request connects. */
  connect?(): Promise<void> | undefined
  /** A sign-in has failed in another tab, which has the user's attention: none is to be started here because of this task. */
  holdSignIn?(): void
  /** Another tab has had an answer from the server. */
  heardElsewhere?(): void
  /** Sends `tools/call`, once. An immediate result has been validated by the SDK. */
  callTool(request: ToolCallRequest, hooks: CallHooks): Promise<ToolCallResponse>
  /** Validates the result of a task as the SDK validates an immediate one, without a request to the server. */
  completeCall(name: string, result: CallToolResult): Promise<CallToolResult>
  /**
   * Whether the tool says of itself that calling it twice does no harm (`readOnlyHint`, `idempotentHint`). False where the server
   * cannot be asked; with a `signal` it waits for the connection as `callTool` does.
   */
  isRepeatable(name: string, signal?: AbortSignal): Promise<boolean>
  getTask(taskId: string, signal?: AbortSignal, known?: KnownOfTask): Promise<DetailedTask>
  /**
   * The capability that an input request needs and the client has not declared; undefined if it has, or if it is not
   * known.
   */
  missingCapability(request: InputRequest): string | undefined
  updateTask(taskId: string, inputResponses: Record<string, InputResponse>, signal?: AbortSignal): Promise<void>
  /**
   * `subscriptions/listen` for these tasks. Resolves when the stream has ended, rejects where none came about,
   * with `TasksUnsupportedError` where that is final.
   */
  listen(taskIds: readonly string[], hooks: ListenHooks): Promise<void>
  cancelTask(taskId: string, signal?: AbortSignal): Promise<void>
  /** Closes what is held open for a task that this page does not poll any longer. */
  release?(taskId: string): void
}
