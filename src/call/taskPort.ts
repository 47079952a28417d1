import type { CallToolResult } from '../protocol/callToolResult.js'
import type { FormIssue } from '../protocol/formIssues.js'
import type { InputRequest, InputResponse } from '../protocol/inputRequest.js'
import type { DetailedTask, Task } from '../protocol/task.js'

/** What is called: the tool and its arguments. */
export interface ToolCallRequest {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>>
}

/** What a `tools/call` was answered by. */
export type ToolCallResponse =
  | { readonly type: 'result'; readonly result: CallToolResult }
  | { readonly type: 'task'; readonly task: Task }

/** What a stream of status notifications brings. */
export interface ListenHooks {
  /** The server has acknowledged the stream; of these tasks it will tell. */
  readonly onHonoured: (taskIds: readonly string[]) => void
  readonly onTask: (task: DetailedTask) => void
  /** Called when something is new with a task, and the server does not say what. */
  readonly onHint: (taskId: string) => void
  readonly signal: AbortSignal
}

/** What becomes of a `tools/call` on its way. */
export interface CallHooks {
  /** Called when nothing but the request itself is left to be done: before it, nothing can have run. */
  readonly beforeSend: () => Promise<void>
  /** Answers a question that the server asks before it has decided on a task (multi round-trip). */
  readonly ask: (inputKey: string, request: InputRequest, signal: AbortSignal) => Promise<InputResponse>
  readonly signal: AbortSignal
}

/**
 * What the engine needs of a connection. Whoever implements it knows SDK, transport and protocol era;
 * the engine knows none of them.
 *
 * A request for a task rejects with `TaskExpiredError` or `TasksUnsupportedError` where that is final,
 * with `TaskProtocolError` where the answer breaks the protocol, and with `TaskRequestError` where it may pass.
 */
export interface TaskPort {
  /** The protocol era that was negotiated; `modern` before. */
  readonly era: 'modern' | 'legacy'
  /** Connects, where nothing has done so yet. Every request does. */
  connect?(): Promise<void>
  /** A sign-in has failed in another tab, which has the user's attention: none is to be started here because of this task. */
  holdSignIn?(): void
  /** Sends `tools/call`, once. An immediate result has been validated by the SDK. */
  callTool(request: ToolCallRequest, hooks: CallHooks): Promise<ToolCallResponse>
  /** Validates the result of a task as the SDK validates an immediate one, without a request to the server. */
  completeCall(name: string, result: CallToolResult): Promise<CallToolResult>
  /** Whether the tool says of itself that calling it twice does no harm (`readOnlyHint`, `idempotentHint`). */
  isRepeatable(name: string): Promise<boolean>
  /** `madeIn` is the port's `era` when the task was created, where that is known: a task does not survive a change of it. */
  getTask(taskId: string, signal?: AbortSignal, madeIn?: TaskPort['era']): Promise<DetailedTask>
  /** The capability that a question needs and the client has not declared; undefined where it has, or where nobody knows. */
  missingCapability(request: InputRequest): string | undefined
  /** What is wrong with an answer, in words or by field of its form; undefined where nothing is. */
  checkAnswer(request: InputRequest, response: InputResponse): Promise<string | readonly FormIssue[] | undefined>
  updateTask(taskId: string, inputResponses: Record<string, InputResponse>, signal?: AbortSignal): Promise<void>
  /**
   * `subscriptions/listen` for these tasks. Resolves when the stream has ended, rejects where none came about,
   * with `TasksUnsupportedError` where that is final.
   */
  listen(taskIds: readonly string[], hooks: ListenHooks): Promise<void>
  cancelTask(taskId: string, signal?: AbortSignal): Promise<void>
  /** Closes what is held open for a task that is not followed here any more. */
  release?(taskId: string): void
}
