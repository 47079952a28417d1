import type { AuthInfo, ClientCapabilities } from '@modelcontextprotocol/server'
import type { Elicit } from '../tasks/elicit.js'
import type { TaskContext } from '../tasks/taskContext.js'

/** What a tool says to its caller while it runs, with a task or without. */
export interface ToolDialogue {
  /**
   * Says how far the work has come: so many units of `total`, where that is known, and what is done now. A task shows it in its
   * status; a client that waits for the response gets `notifications/progress` if it has sent a progress token.
   *
   * @throws {TaskConfigurationError} where a number is not finite or below 0, or the message is not a string.
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
   *     return { content: [{ type: 'text', text: 'The report is ready.' }] }
   *   },
   * })
   * ```
   */
  progress(progress: number, total?: number, message?: string): Promise<void>
  /**
   * Asks the user, by a form or by a page to visit. A task stands in `input_required` until the client responds. A client
   * without tasks gets the input request as the response to its call and calls again with the response (MCP 2026-07-28,
   * "Multi Round-Trip Requests"); the handler waits meanwhile and is not started again. Resolves to the response, whose
   * `content` is typed and checked by `requestedSchema`.
   *
   * @throws the reason of `signal`, `TaskConfigurationError` where the params cannot be sent, a `ProtocolError` of the SDK:
   * -32602 where the schema refuses what the user has entered, -32021 where the client has not declared that it answers such
   * input requests, as no client of an earlier revision does.
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
}

/** What a tool may know and do while it runs. */
export interface ToolContext extends ToolDialogue {
  /**
   * Aborts when the work has become pointless: the client asked to cancel the task, its ttl is over, the
   * server closes, or, outside a task, the client has hung up. Pass it on to what takes long. Stopping is
   * up to the tool: one that finishes all the same has completed (SEP-2663, "Task Cancellation").
   */
  readonly signal: AbortSignal
  /**
   * Which start of the handler for this task this is, from 1: more where workers were lost. It only grows, so it can fence
   * what the handler writes elsewhere: a store that has seen a higher one refuses a lower one.
   */
  readonly attempt: number
  /**
   * Waits on the clock of the server, in ms. Rejects with the reason of `signal` when that aborts, and where the process has
   * slept for longer than its lease: another worker may have the task then.
   */
  sleep(ms: number): Promise<void>
  /** What the client declared in this very request. */
  readonly clientCapabilities: ClientCapabilities
  /** Who calls, as passed to `fetch`. */
  readonly authInfo?: AuthInfo
  /**
   * What the client answered to `inputRequired(...)` in earlier rounds of this call: untrusted, read it
   * with `acceptedContent` of the SDK.
   */
  readonly inputResponses: Readonly<Record<string, unknown>>
  /** The `requestState` of the round before, as the SDK's handlers get it. */
  requestState<T = unknown>(): T | undefined
  /** The task this call has become; undefined where it is answered directly. */
  readonly task?: TaskContext
}
