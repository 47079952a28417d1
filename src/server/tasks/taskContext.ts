import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ListRootsResult,
} from '@modelcontextprotocol/server'
import type { Elicit } from './elicit.js'

/** What a tool can do with the task it runs as. */
export interface TaskContext {
  /** A bearer capability: keep it out of logs. */
  readonly taskId: string
  /**
   * Says where the work stands, for people. Resolves when every later `tasks/get` shows it.
   *
   * @throws {TaskConfigurationError} at once, before there is a promise, where the message is not a string.
   */
  setStatus(message: string): Promise<void>
  /**
   * Says how far the work has come: so many units of `total`, where that is known, and what is done now. Clients that
   * know the numbers show a bar (`_meta['dev.taskwire/progress']`, `call.progress` of Taskwire); the others get a status
   * message such as "Asia (3 of 10)". Progress may go back. Of a handler that runs again because its worker was lost, what is
   * below the progress that clients have seen is not shown. Resolves when every later `tasks/get` shows it.
   *
   * @throws {TaskConfigurationError} at once, before there is a promise, where a number is not finite or below 0, or the
   * message is not a string.
   *
   * @example
   * ```ts
   * await task?.setProgress(3, 10, 'Asia')
   * ```
   */
  setProgress(progress: number, total?: number, message?: string): Promise<void>
  /**
   * Asks the user, by a form or by a page to visit. The task stands in `input_required` until every open
   * input request is answered; several may be open at once. Resolves to the response, which has `content` where its
   * `action` is `accept`. Content that does not fit `requestedSchema` is refused to the client with -32602 (SEP-2663, "Task
   * Update Requests"). Of a Standard Schema that holds for what JSON Schema can say; the rest of it is checked here, and
   * `content` is what it returns.
   *
   * @throws the reason of `signal` when that aborts, `TaskConfigurationError` where the params
   * cannot be sent, a `pattern` of the form can block the process or the task is over, a `ProtocolError` of the SDK: -32602
   * where the schema refuses what the user has entered, -32021 where the client has not declared with the call that it answers
   * such input requests. Look at `clientCapabilities` before, where the tool can do without.
   */
  readonly elicit: Elicit
  /** Asks the client's model for a completion. Otherwise like {@link TaskContext.elicit}. */
  sample(params: CreateMessageRequestParams): Promise<CreateMessageResult | CreateMessageResultWithTools>
  /** Asks for the client's roots. Otherwise like {@link TaskContext.elicit}. */
  listRoots(): Promise<ListRootsResult>
  /**
   * Runs a step that must not run twice, and keeps its result: a handler that is run again because its worker was lost gets
   * that instead. Where the worker was lost during the step, nobody can tell whether it has happened: this throws then, and
   * the step does not run again, unless it has `mayRepeat`. Give each step of a handler a name of its own. Waiting for the
   * step takes two writes to the store where the handler may be run again, one with `mayRepeat`, none elsewhere.
   *
   * @throws {TaskConfigurationError} where the name was used before or the result is not JSON, a `ProtocolError` of the SDK
   * (-32603) where the worker was lost during the step, what the step throws, the reason of `signal`.
   *
   * @example
   * ```ts
   * const receipt = await task.once('charge', () => shop.charge(order))
   * const rows = await task.once('rows of Asia', () => collect('Asia'), { mayRepeat: true })
   * ```
   */
  once<T>(name: string, step: () => T | Promise<T>, options?: TaskStepOptions): Promise<T>
}

/** Options of {@link TaskContext.once}. */
export interface TaskStepOptions {
  /**
   * Whether the step may run again where its worker was lost during it: for a long step that does no harm twice. A step
   * that has ended does not run again. @default false
   */
  readonly mayRepeat?: boolean
}
