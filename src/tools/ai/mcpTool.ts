import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { TaskProgress } from '../../core/protocol/progress.js'
import type { ToolCallNetwork } from '../../core/record/toolCallState.js'

// The types of `ai` 6 and 7 differ, and say more than a tool of ours has. These fit both: test/ai/types.test-d.ts.

/** A JSON value. */
export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue | undefined }

/**
 * The preliminary result that a tool yields while its call runs: plain data, so you can send and store it with the messages
 * of a chat. It contains no task id.
 */
export interface McpToolStatus {
  /**
   * The id of the call in `client.store`. Use the handle `client.getToolCall(callId)` to cancel the call and to respond to
   * its input requests.
   */
  readonly callId: string
  readonly phase: 'working' | 'input_required'
  /** The server's status message. Render it as text. */
  readonly statusMessage?: string
  /** The progress of the work, if the server reports it. */
  readonly progress?: TaskProgress
  /** The server's open input requests, by key. Absent if there is no open request. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /** True from a cancellation until the server reports how the task ended. */
  readonly isCancelling?: true
  /** The state of polling. */
  readonly network: ToolCallNetwork
}

/** The values that a tool yields: its status, any number of times, and finally its result. */
export type McpToolOutput<TResult = CallToolResult> = McpToolStatus | TResult

/** The details that the AI SDK passes to a tool with each call. */
export interface McpToolExecution {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal | undefined
}

/** The output of a tool, as the model sees it. */
export type McpModelOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json'; value: JsonValue }
  | { type: 'content'; value: McpModelContent[] }

/** A part of the output that the model sees. */
export type McpModelContent =
  | { type: 'text'; text: string }
  | { type: 'image-data' | 'file-data'; data: string; mediaType: string }

/**
 * The JSON Schema of a tool's input, as the server sent it. `ai` passes it to the model. The server checks the arguments;
 * `ai` does not.
 */
export type McpInputSchema<Input> = StandardSchemaV1<unknown, Input>

/**
 * A tool of an MCP server in the shape that `streamText`, `generateText` and agents of the AI SDK accept.
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
  /** The server's description of the tool, for the user interface. It is the `toolMetadata` of the tool's parts. */
  metadata: { [key: string]: JsonValue | undefined }
  needsApproval?: (input: Input) => boolean | PromiseLike<boolean>
  execute(input: Input, options: McpToolExecution): AsyncGenerator<McpToolOutput<TResult>, void, undefined>
  toModelOutput(options: { output: unknown }): McpModelOutput
}
