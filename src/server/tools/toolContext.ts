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

/** The context of `prepare` of a tool: there is no work yet that could report progress or wait for input. */
export interface PrepareContext {
  /**
   * Aborts when the work has become pointless: the client asked to cancel the task, its ttl is over, the
   * server closes, or, outside a task, the client has closed the request. Pass it on to long work. Stopping is
   * up to the tool: one that finishes all the same has completed (SEP-2663, "Task Cancellation").
   */
  readonly signal: AbortSignal
  /**
   * Waits on the clock of the server, in ms. Rejects with the reason of `signal` when that aborts, and where the process has
   * slept for longer than its lease: another worker may have the task then.
   */
  sleep(ms: number): Promise<void>
  /**
   * The capabilities that the client declared: with this very request, or with `initialize` in revisions before 2026-07-28.
   */
  readonly clientCapabilities: ClientCapabilities
  /**
   * `_meta` of the call as the client has sent it, such as a trace context: untrusted. It has no keys that MCP reserves, such as
   * `progressToken` and those of `io.modelcontextprotocol/`, and none of this package (MCP 2026-07-28, "General fields: _meta").
   *
   * @example
   * ```ts
   * const traceparent = String(context.meta['traceparent'] ?? '')
   * ```
   */
  readonly meta: Readonly<Record<string, unknown>>
  /** The caller, as passed to `fetch`. */
  readonly authInfo?: AuthInfo
  /**
   * The client's answers to `inputRequired(...)` in earlier rounds of this call: untrusted, read it with `acceptedContent` of
   * the SDK.
   */
  readonly inputResponses: Readonly<Record<string, unknown>>
  /** The `requestState` of the round before, as the SDK's handlers get it. */
  requestState<T = unknown>(): T | undefined
}

/** The context of a running handler: the same in a task and in a call whose client waits for the result. */
export interface ToolContext extends PrepareContext {
  /**
   * Says how far the work has come: so many units of `total`, where that is known, and what is done now; or what is done now,
   * in words alone, which leaves the number where it is. Progress may go back.
   *
   * In a task, clients that know the numbers show a bar (`_meta['dev.taskwire/progress']`, `call.progress` of Taskwire), and
   * others the status message "Asia (3 of 10)". Of a handler that runs again because its worker was lost, what is below the
   * progress that clients have seen is not shown. A client that waits for the result gets `notifications/progress` if it has
   * sent a progress token. Resolves when a task shows it to every later `tasks/get`.
   *
   * @throws {TaskConfigurationError} at once, before there is a promise, if a number is not finite or below 0, or the
   *   message is not a string.
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
   * Asks the user, by a form or by a page to visit, and resolves to the response, which has `content` where its `action` is
   * `accept`. Several input requests may be open at once. Content that does not fit `requestedSchema` is refused to the client
   * with -32602 (SEP-2663, "Task Update Requests"). Of a Standard Schema that holds for what JSON Schema can say; the rest of it
   * is checked here, and `content` is what it returns.
   *
   * A task stands in `input_required` until every open input request is answered. A client without tasks gets the input
   * requests as the response to its call and calls again with the responses (MCP 2026-07-28, "Multi Round-Trip Requests"); the
   * handler waits meanwhile and is not started again.
   *
   * @throws the reason of `signal` when that aborts, `TaskConfigurationError` where the params
   * cannot be sent, a `pattern` of the form can block the process or the task is over, a `ProtocolError` of the SDK: -32602
   * where the schema refuses what the user has entered, -32021 where the client has not declared that it answers
   * such input requests. Look at `clientCapabilities` before, where the tool can do without.
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
   * Runs a step that must not run twice, and keeps its result: a handler that is run again because its worker was lost gets
   * that instead (`onOrphan: 'retry'`). If the worker was lost during the step, it is unknown whether the step has happened:
   * this throws then, and the step does not run again, unless it has `mayRepeat`. Give each step of a handler a name of its
   * own. Waiting for the step takes two writes to the store where the handler may be run again, one with `mayRepeat`, none
   * elsewhere: the handler of a call whose client waits is not run again, unless it has asked for input or the call has a key.
   *
   * @throws {TaskConfigurationError} if the name was used before or the result is not JSON, a `ProtocolError` of the SDK
   *   (-32603) if the worker was lost during the step, what the step throws, the reason of `signal`.
   *
   * @example
   * ```ts
   * const receipt = await context.once('charge', () => shop.charge(order))
   * const rows = await context.once('rows of Asia', () => collect('Asia'), { mayRepeat: true })
   * ```
   */
  once<T>(name: string, step: () => T | Promise<T>, options?: ToolStepOptions): Promise<T>
  /**
   * Which start of the handler for this call this is, from 1: more where workers were lost. It only grows, so it can fence
   * what the handler writes elsewhere: a store that has seen a higher one refuses a lower one.
   */
  readonly attempt: number
  /**
   * The task that this call has become; undefined where the client waits for the result. A bearer capability: keep it out of
   * logs.
   */
  readonly taskId?: string
}
