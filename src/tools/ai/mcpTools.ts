import type { TaskClient } from '../../core/client/taskClient.js'
import type { AnyTools, ToolArguments, ToolName, ToolResult } from '../../core/client/tools.js'
import type { Tool } from '../../core/protocol/tool.js'
import { onAbort } from '../../core/time/abort.js'
import { describeTool } from '../../core/wire/jobs/describeTool.js'
import { followCall } from './followCall.js'
import { inputSchema } from './inputSchema.js'
import type { JsonValue, McpTool, McpToolExecution } from './mcpTool.js'
import { modelOutput } from './modelOutput.js'

/** Options of {@link mcpTools}. */
export interface McpToolsOptions<Prefix extends string = '', Dynamic extends boolean = true> {
  /**
   * The id of the conversation. A call is known by it and by the id that the model has given the tool call, so that a reload
   * resumes the same call. Set it where the ids of tool calls may repeat from one chat to another. An id that repeats within
   * one chat is the same call.
   * @default none
   */
  chatId?: string | undefined
  /** Which tools the model gets. @default all but those that follow the `jobs` of the client: their status and cancel tools */
  filter?: ((tool: Tool) => boolean) | undefined
  /** Begins the name of each tool, for instance `'reports_'` beside the tools of another server. @default '' */
  prefix?: Prefix | undefined
  /** The tools of the server, where the app has listed them. @default `await client.listTools()` */
  tools?: readonly Tool[] | undefined
  /**
   * Whether the server's work continues when the abort signal of the generation aborts, and can be resumed later, or is
   * cancelled.
   * @default 'detach'
   */
  onAbort?: 'detach' | 'cancel' | undefined
  /**
   * Whether the user has to approve a call before it is made, by the approval of the AI SDK.
   * @default none needs approval
   */
  needsApproval?: ((tool: Tool, input: unknown) => boolean | PromiseLike<boolean>) | undefined
  /**
   * Whether the parts of a message are of the type `dynamic-tool`, as those of tools are whose types are not known. With
   * `false` they are `tool-NAME`, and a client that knows its tools (`npx taskwire types`) types their input and output.
   * @default true
   */
  dynamic?: Dynamic | undefined
}

/** The tools of a server by name. */
export type McpToolSet<T = AnyTools, Prefix extends string = '', Dynamic extends boolean = true> = {
  [Name in ToolName<T> as `${Prefix}${Name}`]: McpTool<
    object | undefined extends ToolArguments<T, Name>
      ? Record<string, unknown>
      : Exclude<ToolArguments<T, Name>, undefined>,
    ToolResult<T, Name>,
    Dynamic extends true ? 'dynamic' : undefined
  >
}

/** Why a signal aborts when nobody looks at the calls any more: they go on, whatever `onAbort` says. */
export const LEFT: unique symbol = Symbol('left')

/** Tools that {@link mcpTools} has made: a call of theirs can be taken up by the id that the model has given it. */
const made = new WeakSet<object>()

/** True for a tool of {@link mcpTools}, also one that the app has copied to change its description. */
export function isMcpTool(tool: unknown): tool is McpTool {
  const execute = (tool as Partial<McpTool> | undefined)?.execute
  return execute !== undefined && made.has(execute)
}

/**
 * The tools of a server for the AI SDK (`ai` 6 and 7): for `streamText`, `generateText` and agents. A call that becomes a task is
 * followed to its end. On the way the tool yields an {@link McpToolStatus} whenever its status, its progress or what it
 * asks has changed, which the AI SDK passes on as a preliminary result.
 *
 * Each call is made under the id that the model has given it, so a tool call that is executed again after a reload resumes the
 * task of the first time: see `resumeToolParts`.
 *
 * A result with `isError: true` is an output like any other, which the model reads as an error. The tool throws what
 * `client.callTool()` rejects with, such as `TaskFailedError`. Input requests wait in the `client`, for the inbox of the
 * app; they are in the preliminary result, too.
 *
 * @throws {ConnectionFailedError} if the tools cannot be listed.
 *
 * @example
 * ```ts
 * const result = streamText({ model, tools: await mcpTools(client), prompt: 'How was the third quarter?' })
 * ```
 */
export async function mcpTools<T, Prefix extends string = '', Dynamic extends boolean = true>(
  client: TaskClient<T>,
  options: McpToolsOptions<Prefix, Dynamic> = {},
): Promise<McpToolSet<T, Prefix, Dynamic>> {
  const { jobs = [] } = client
  const isOwn = ({ name }: Tool) => !jobs.some((job) => job.isInternal(name))
  const { filter = isOwn, prefix = '', tools = await client.listTools() } = options
  // Without a prototype: the model may ask for a tool named "constructor".
  const set: Record<string, McpTool> = Object.create(null)
  for (const tool of tools.filter(filter))
    set[`${prefix}${tool.name}`] = toMcpTool(client as unknown as TaskClient, tool, options)
  return set as McpToolSet<T, Prefix, Dynamic>
}

function toMcpTool(client: TaskClient, tool: Tool, options: McpToolsOptions<string, boolean>): McpTool {
  const { chatId, onAbort: whenAborted, needsApproval, dynamic = true } = options
  const { name, annotations } = tool
  const description = describeTool(tool, client.jobs ?? [])
  const title = tool.title ?? annotations?.title

  async function* execute(input: unknown, { toolCallId, abortSignal }: McpToolExecution) {
    const key = chatId === undefined ? toolCallId : `${chatId} ${toolCallId}`
    const call = client.startToolCall(
      { name, arguments: input as object },
      { key, ...(abortSignal && { signal: abortSignal }) },
    )
    const stopListening =
      abortSignal && whenAborted === 'cancel' && !abortSignal.aborted
        ? onAbort(abortSignal, () => {
            if (abortSignal.reason !== LEFT) void call.cancel().catch(() => {})
          })
        : undefined
    try {
      yield* followCall(call)
    } finally {
      stopListening?.()
    }
  }
  made.add(execute)
  return {
    type: dynamic ? 'dynamic' : undefined,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: inputSchema(tool),
    metadata: {
      toolName: name,
      ...(title !== undefined && { title }),
      ...(annotations && { annotations: annotations as { [key: string]: JsonValue | undefined } }),
    },
    ...(needsApproval && { needsApproval: (input: unknown) => needsApproval(tool, input) }),
    execute,
    toModelOutput: modelOutput,
  }
}
