import type {
  CallToolResult,
  Icon,
  InputRequiredResult,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server'
import type { PrepareContext, ToolContext } from './toolContext.js'

/**
 * When calls of a tool become tasks. `forbidden`: never. `optional`: for clients that declare the
 * extension, if `augment` agrees; others wait for the response. `required`: always; clients that do not
 * declare the extension are refused with -32021.
 */
export type TaskSupport = 'forbidden' | 'optional' | 'required'

/** Whether a call becomes a task: at once, never, or after so many ms. */
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
  /** Validates `structuredContent`; clients see it in `tools/list`. */
  readonly outputSchema?: Output
  readonly annotations?: ToolAnnotations
  readonly icons?: Icon[]
  /** Passed on to clients in `tools/list`, such as the `ui` of an MCP App. */
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly taskSupport: TaskSupport
  /** Overrides the server's `defaultTtlMs` for tasks of this tool, in ms from their end; null: without limit. */
  readonly ttlMs?: number | null
  /** Overrides the server's `pollIntervalMs` for tasks of this tool, in ms, whatever the load. */
  readonly pollIntervalMs?: number
  /**
   * How a task whose worker was lost ends. `fail`: it has failed, and the tool may have run in part. `retry`: the handler runs
   * again from its beginning, up to five times in all; it gets the responses that its input requests have had, so what comes
   * before an input request must be safe to repeat, or stand in `once()`.
   * @default `retry` for tools whose annotations say `readOnlyHint` or `idempotentHint`, else `fail`
   */
  readonly onOrphan?: 'fail' | 'retry'
  /**
   * Runs before a task is created, with the client waiting. Return nothing to continue with the handler, a result to answer
   * without a task, or the SDK's `inputRequired(...)` to ask the client first: it calls again with the responses in
   * `context.inputResponses` (SEP-2663, "Task Creation").
   */
  prepare?(
    args: StandardSchemaWithJSON.InferOutput<Input>,
    context: PrepareContext,
  ): Promise<CallToolResult | InputRequiredResult | undefined> | CallToolResult | InputRequiredResult | undefined
  /**
   * Does the work. The client is answered as soon as this waits for something; what it returns or throws before makes a task
   * that is over at its creation (SEP-2663, "Task Creation"). Return a result, with `isError: true` if the tool could not do
   * its work: its task has *completed*. Throw a `ProtocolError` of the SDK to fail with its code, message and data; anything
   * else that is thrown fails with a generic message and goes to `onError` (SEP-2663, "Task Execution Errors").
   */
  handler(
    args: StandardSchemaWithJSON.InferOutput<Input>,
    context: ToolContext,
  ): Promise<CallToolResult> | CallToolResult
}

/**
 * Defines a tool for {@link createTaskServer}; `args` of its handler are typed by `inputSchema`, and calls of a
 * `createTaskClient<typeof server>()` by both schemas.
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
