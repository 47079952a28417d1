import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { TaskProgress } from '../../core/protocol/progress.js'
import type { ToolCallNetwork } from '../../core/record/toolCallState.js'

// The types of `ai` 6 and 7 differ, and say more than a tool of ours has. These fit both: test/ai/types.test-d.ts.

/** A JSON value. */
export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue | undefined }

/**
 * The preliminary result that a tool yields while its call runs: plain data, so it may be sent and stored with the messages of
 * a chat. It names no task.
 */
export interface McpToolStatus {
  /** Of the call in `client.store`. `client.getToolCall(callId)` cancels it and responds to its input requests. */
  readonly callId: string
  readonly phase: 'working' | 'input_required'
  /** The server's status message. Render it as text. */
  readonly statusMessage?: string
  /** The progress of the work, if the server reports it. */
  readonly progress?: TaskProgress
  /** The server's questions to the user, by key. Absent if it asks nothing. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /** True from a cancellation until the server has cancelled the task. */
  readonly isCancelling?: true
  /** The state of polling. */
  readonly network: ToolCallNetwork
}

/** The values that a tool yields: its status, several times, and finally its result. */
export type McpToolOutput<TResult = CallToolResult> = McpToolStatus | TResult

/** The details that the AI SDK passes to a tool with each call. */
export interface McpToolExecution {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal | undefined
}

/** A tool's output as the model sees it. */
export type McpModelOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json'; value: JsonValue }
  | { type: 'content'; value: McpModelContent[] }

/** A part of the output that the model sees. */
export type McpModelContent =
  | { type: 'text'; text: string }
  | { type: 'image-data' | 'file-data'; data: string; mediaType: string }

/**
 * The JSON Schema of a tool's input, as the server sent it. `ai` passes it to the model. The server, not `ai`, checks the
 * arguments.
 */
export type McpInputSchema<Input> = StandardSchemaV1<unknown, Input>

/**
 * A tool of an MCP server as `streamText`, `generateText` and agents of the AI SDK take it.
 *
 * @typeParam Input The arguments that the model passes.
 * @typeParam TResult The final result.
 * @typeParam Kind `'dynamic'`, or undefined for a tool whose types are known.
 */
export interface McpTool<
  Input = unknown,
  TResult = CallToolResult,
  Kind extends 'dynamic' | undefined = 'dynamic' | undefined,
> {
  type: Kind
  title?: string
  description?: string
  inputSchema: McpInputSchema<Input>
  /** The server's description of the tool, for the user interface: `toolMetadata` of its parts. */
  metadata: { [key: string]: JsonValue | undefined }
  needsApproval?: (input: Input) => boolean | PromiseLike<boolean>
  execute(input: Input, options: McpToolExecution): AsyncGenerator<McpToolOutput<TResult>, void, undefined>
  toModelOutput(options: { output: unknown }): McpModelOutput
}
