import type {
  AuthInfo,
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ListRootsResult,
} from '@modelcontextprotocol/server'
import type { ToolStepOptions } from '../tasks/taskSteps.js'
import type { Elicit } from './elicit.js'

/** The context of a tool's `prepare`. It cannot report progress or wait for input, because there is no work yet. */
export interface PrepareContext {
  /**
   * Aborts when the work is no longer needed: the client has requested to cancel the task, the ttl of the task is over, the
   * server closes, or, without a task, the client has closed the request. Pass it to long operations. The tool decides
   * whether to stop: if it finishes anyway, the task is completed (SEP-2663, "Task Cancellation").
   */
  readonly signal: AbortSignal
  /**
   * Waits `ms` milliseconds on the clock of the server. Rejects with the reason of `signal` when that aborts, and if the
   * process has slept for longer than its lease, because another worker may then have the task.
   */
  sleep(ms: number): Promise<void>
  /** The capabilities that the client declared: in this request, or in `initialize` in revisions before 2026-07-28. */
  readonly clientCapabilities: ClientCapabilities
  /**
   * `_meta` of the call as the client has sent it, such as a trace context. Do not trust it. Keys that MCP reserves, such
   * as `progressToken` and those of `io.modelcontextprotocol/`, and keys of this package are left out (MCP 2026-07-28,
   * "General fields: _meta").
   *
   * @example
   * ```ts
   * const traceparent = String(context.meta['traceparent'] ?? '')
   * ```
   */
  readonly meta: Readonly<Record<string, unknown>>
  /** The caller, as `authenticate` returned it, or as passed to `fetch`. */
  readonly authInfo?: AuthInfo
  /**
   * The client's responses to `inputRequired(...)` in earlier rounds of this call. Do not trust them: read them with
   * `acceptedContent` of the SDK.
   */
  readonly inputResponses: Readonly<Record<string, unknown>>
  /** Returns the `requestState` of the previous round, as the SDK's handlers get it. */
  requestState<T = unknown>(): T | undefined
}

/** The context of a running handler: the same in a task and in a call whose client waits for the result. */
export interface ToolContext extends PrepareContext {
  /**
   * Reports the progress of the work: the number of units that are done, `total` if it is known, and a message about the
   * current step. A message alone leaves the number unchanged. Progress may decrease.
   *
   * In a task, clients that read the numbers can show a bar (`_meta['dev.taskwire/progress']`, `call.progress` of
   * Taskwire), and other clients show the status message "Asia (3 of 10)". If a handler runs again because its worker was
   * lost, progress below the progress that clients have seen is not shown. A client that waits for the result gets
   * `notifications/progress` if it has sent a progress token. In a task, the promise resolves when every later `tasks/get`
   * shows the progress.
   *
   * @throws {TaskConfigurationError} synchronously, if a number is not finite or is below 0, or if the message is not a
   *   string.
   *
   * @example
   * ```ts
   * const report = defineTool({
   *   name: 'generate_report',
   *   inputSchema: z.object({ regions: z.array(z.string()) }),
   *   taskSupport: 'optional',
   *   async handler({ regions }, { progress }) {
   *     for (const [done, region] of regions.entries()) {
   *       await progress(done, regions.length, region)
   *       await collect(region)
   *     }
   *     await progress('Putting it together')
   *     return { content: [{ type: 'text', text: 'The report is ready.' }] }
   *   },
   * })
   * ```
   */
  progress(message: string): Promise<void>
  progress(progress: number, total?: number, message?: string): Promise<void>
  /**
   * Asks the user to fill in a form or to visit a page, and resolves to the response. The response has `content` if its
   * `action` is `accept`. Several input requests may be open at once. The server refuses content that does not fit
   * `requestedSchema` with -32602 (SEP-2663, "Task Update Requests"). With a Standard Schema, this applies to the rules
   * that JSON Schema can express; `elicit` checks the other rules, and `content` is the output of the schema.
   *
   * A task is `input_required` until every open input request is answered. A client without tasks gets the input requests
   * as the response to its call and calls again with the responses (MCP 2026-07-28, "Multi Round-Trip Requests"); meanwhile
   * the handler waits, and does not start again.
   *
   * @throws the reason of `signal` when that aborts; a `TaskConfigurationError` if the params cannot be sent, a `pattern`
   * of the form can block the process, or the task is over; a `ProtocolError` of the SDK with -32602 if the schema refuses
   * the user's input, or with -32021 if the client has not declared that it answers such input requests. If the tool can
   * work without the input, check `clientCapabilities` first.
   *
   * @example
   * ```ts
   * const buy = defineTool({
   *   name: 'buy',
   *   inputSchema: z.object({ article: z.string() }),
   *   taskSupport: 'optional',
   *   async handler({ article }, { elicit }) {
   *     const answer = await elicit({ message: 'How many?', requestedSchema: z.object({ count: z.number() }) })
   *     if (answer.action !== 'accept') return { content: [{ type: 'text', text: 'Nothing was bought.' }] }
   *     const receipt = await shop.charge({ article, count: answer.content.count })
   *     return { content: [{ type: 'text', text: receipt }] }
   *   },
   * })
   * ```
   */
  readonly elicit: Elicit
  /** Asks the client's model for a completion. Otherwise like {@link ToolContext.elicit}. */
  sample(params: CreateMessageRequestParams): Promise<CreateMessageResult | CreateMessageResultWithTools>
  /** Asks for the client's roots. Otherwise like {@link ToolContext.elicit}. */
  listRoots(): Promise<ListRootsResult>
  /**
   * Runs a step that must not run twice, and keeps its result. A handler that runs again because its worker was lost gets
   * this result and does not repeat the step (`onOrphan: 'retry'`). If the worker was lost during the step, it is unknown
   * whether the step took effect: then `once()` throws and does not run the step again, unless the step has `mayRepeat`.
   * Give each step of a handler a different name. If the handler may be run again, a step takes two writes to the store, or
   * one with `mayRepeat`; otherwise none. The handler of a call whose client waits is not run again, unless it has asked
   * for input or the call has a key.
   *
   * @throws {TaskConfigurationError} if the name was used before or the result is not JSON; a `ProtocolError` of the SDK
   *   (-32603) if the worker was lost during the step; the error that the step throws; the reason of `signal`.
   *
   * @example
   * ```ts
   * const receipt = await context.once('charge', () => shop.charge(order))
   * const rows = await context.once('rows of Asia', () => collect('Asia'), { mayRepeat: true })
   * ```
   */
  once<T>(name: string, step: () => T | Promise<T>, options?: ToolStepOptions): Promise<T>
  /**
   * The number of this start of the handler for this call: 1, and higher if workers were lost. The number only grows, so
   * you can use it as a fencing token for writes to other stores: a store that has seen a higher number refuses a lower
   * one.
   */
  readonly attempt: number
  /**
   * The id of the task that this call has become; undefined if the client waits for the result. A bearer capability: keep
   * it out of logs.
   */
  readonly taskId?: string
}
