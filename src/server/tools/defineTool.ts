import type {
  CallToolResult,
  Icon,
  InputRequiredResult,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
import type { PrepareContext, ToolContext } from './toolContext.js'

/**
 * When calls of a tool become tasks. `forbidden`: never. `optional`: for clients that declare the extension, if `augment`
 * agrees; other clients wait for the response. `required`: always; the server refuses clients that do not declare the
 * extension with -32021.
 */
export type TaskSupport = 'forbidden' | 'optional' | 'required'

/** Whether a call becomes a task: at once (true), never (false), or after a time in ms. */
export type TaskDecision = boolean | { readonly afterMs: number }

/** A tool of a task server. Make one with {@link defineTool}, which types its arguments. */
export interface ToolDefinition<
  Input extends StandardSchemaWithJSON = StandardSchemaWithJSON,
  Name extends string = string,
  Output extends StandardSchemaWithJSON | undefined = StandardSchemaWithJSON | undefined,
> {
  readonly name: Name
  readonly title?: string
  readonly description?: string
  /** Any Standard Schema that converts to JSON Schema, such as zod 4's: validates and types the arguments. */
  readonly inputSchema: Input
  /** Validates `structuredContent`. Clients see it in `tools/list`. */
  readonly outputSchema?: Output
  readonly annotations?: ToolAnnotations
  readonly icons?: Icon[]
  /** Metadata for clients in `tools/list`, such as the `ui` of an MCP App. */
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly taskSupport: TaskSupport
  /** Overrides the server's `defaultTtlMs` for tasks of this tool, in ms from their end; null for no limit. */
  readonly ttlMs?: number | null
  /** Overrides the server's `pollIntervalMs` for tasks of this tool, in ms, at any load. */
  readonly pollIntervalMs?: number
  /**
   * The treatment of a task whose worker was lost. `fail`: the task fails, and the tool may have run in part. `retry`: the
   * handler runs again from its beginning, until five workers were lost with it. It gets the responses that its input
   * requests have already received, so the code before an input request must be safe to repeat, or be inside `once()`.
   * If its worker closes (`close()`), the handler runs again as often as that happens.
   * @default `retry` for tools whose annotations say `readOnlyHint` or `idempotentHint`, else `fail`
   */
  readonly onOrphan?: 'fail' | 'retry'
  /**
   * Runs before a task is created, while the client waits. Return nothing to continue with the handler, a result to answer
   * without a task, or the SDK's `inputRequired(...)` to ask the client first: the client then calls again with the
   * responses in `context.inputResponses` (SEP-2663, "Task Creation").
   */
  prepare?(
    args: StandardSchemaWithJSON.InferOutput<Input>,
    context: PrepareContext,
  ): Promise<CallToolResult | InputRequiredResult | undefined> | CallToolResult | InputRequiredResult | undefined
  /**
   * Does the work. The client gets its answer as soon as the handler awaits something; if the handler returns or throws
   * before that, its task is over when it is created (SEP-2663, "Task Creation"). Return a result, with `isError: true` if
   * the tool could not do its work: the task is then still *completed*. Throw a `ProtocolError` of the SDK to fail the task
   * with its code, message and data. Any other error fails the task with a generic message and goes to `onError` (SEP-2663,
   * "Task Execution Errors").
   */
  handler(
    args: StandardSchemaWithJSON.InferOutput<Input>,
    context: ToolContext,
  ): Promise<CallToolResult> | CallToolResult
}

/**
 * Defines a tool for {@link createTaskServer}. `inputSchema` types the `args` of the handler. Both schemas type the calls
 * of a `createTaskClient<typeof server>()`.
 *
 * @example
 * ```ts
 * const report = defineTool({
 *   name: 'generate_report',
 *   description: 'Writes the report of a quarter',
 *   inputSchema: z.object({ quarter: z.string() }),
 *   taskSupport: 'optional',
 *   async handler({ quarter }, { progress, sleep }) {
 *     await progress(`Collecting the figures of ${quarter}`)
 *     await sleep(5_000)
 *     return { content: [{ type: 'text', text: `The report of ${quarter}` }] }
 *   },
 * })
 * ```
 */
export function defineTool<
  Input extends StandardSchemaWithJSON,
  const Name extends string,
  Output extends StandardSchemaWithJSON | undefined = undefined,
>(tool: ToolDefinition<Input, Name, Output>): ToolDefinition<Input, Name, Output> {
  return tool
}

/** The types of tools that clients know, by name: the type parameter of `createTaskClient`. */
export type ToolsOfDefinitions<Tools extends readonly ToolDefinition[]> = {
  [Tool in Tools[number] as Tool['name']]: {
    arguments: StandardSchemaWithJSON.InferInput<Tool['inputSchema']>
    structuredContent: [Exclude<Tool['outputSchema'], undefined>] extends [never]
      ? unknown
      : StandardSchemaWithJSON.InferOutput<Exclude<Tool['outputSchema'], undefined>>
  }
}
