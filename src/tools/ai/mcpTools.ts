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
   * The id of the chat. A call is identified by this id and the model's id of the tool call, so that a reload resumes the
   * same call. Set it if different chats may have tool calls with the same id. The same id within one chat means the same
   * call.
   * @default no chat id
   */
  chatId?: string | undefined
  /**
   * Returns true for the tools that the model gets. @default all tools, except those that the `jobs` of the client use
   * internally, such as status and cancel tools
   */
  filter?: ((tool: Tool) => boolean) | undefined
  /** The prefix for the name of each tool, for instance `'reports_'` if there are also tools of another server. @default '' */
  prefix?: Prefix | undefined
  /** The tools of the server, if the app has already listed them. @default `await client.listTools()` */
  tools?: readonly Tool[] | undefined
  /**
   * The effect of the abort signal of the generation. `'detach'`: the work continues on the server, and can be resumed
   * later. `'cancel'`: the client cancels the task.
   * @default 'detach'
   */
  onAbort?: 'detach' | 'cancel' | undefined
  /**
   * Whether the user must approve a call before it is made, with the approvals of the AI SDK.
   * @default no call needs approval
   */
  needsApproval?: ((tool: Tool, input: unknown) => boolean | PromiseLike<boolean>) | undefined
  /**
   * Whether the parts of a message have the type `dynamic-tool`, like parts of tools with unknown types. With `false` their
   * type is `tool-NAME`, and a client with declared tools (`npx taskwire types`) types their input and output.
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
 * The tools of a server for the AI SDK (`ai` 6 and 7): for `streamText`, `generateText` and agents. A call that becomes a
 * task is followed to its end. Meanwhile the tool yields an {@link McpToolStatus} whenever its status, its progress or its
 * input requests change. The AI SDK passes each one on as a preliminary result.
 *
 * The key of each call contains the model's id of the tool call, so a tool call that is executed again after a reload
 * resumes its earlier task: see `resumeToolParts`.
 *
 * A result with `isError: true` is a normal output, and the model reads it as an error. The tool throws the errors that
 * `client.callTool()` rejects with, such as `TaskFailedError`. Input requests wait in the `client`, for the inbox of the
 * app; the preliminary result has them, too.
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
