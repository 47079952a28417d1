import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ToolCallNetwork } from '../core/record/toolCallState.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { TaskProgress } from '../protocol/progress.js'

// The types of `ai` 6 and 7 differ, and say more than a tool of ours has. These fit both: test/ai/types.test-d.ts.

/** A value of JSON. */
export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue | undefined }

/**
 * What a tool yields while its call runs, as a preliminary result: plain data, so it may be sent and stored with the
 * messages of a chat. It names no task.
 */
export interface McpToolStatus {
  /** Of the call in `client.store`. `client.getToolCall(callId)` cancels it and responds to its input requests. */
  readonly callId: string
  readonly phase: 'working' | 'input_required'
  /** What the server says that it is doing. Render it as text. */
  readonly statusMessage?: string
  /** How far the work has come, where the server says so. */
  readonly progress?: TaskProgress
  /** What the server asks the user, by key. Absent where it asks nothing. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  /** True from a cancellation until the server has obeyed. */
  readonly isCancelling?: true
  /** How polling fares. */
  readonly network: ToolCallNetwork
}

/** What a tool yields: its status, again and again, and at last its result. */
export type McpToolOutput<TResult = CallToolResult> = McpToolStatus | TResult

/** What the AI SDK tells a tool of the call that the model asks for. */
export interface McpToolExecution {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal | undefined
}

/** What the model is told of a tool's output. */
export type McpModelOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json'; value: JsonValue }
  | { type: 'content'; value: McpModelContent[] }

/** A part of what the model is told. */
export type McpModelContent =
  | { type: 'text'; text: string }
  | { type: 'image-data' | 'file-data'; data: string; mediaType: string }

/**
 * The schema of a tool's input: the JSON Schema of the server, which `ai` reads as it is and checks nothing by. The
 * server checks.
 */
export type McpInputSchema<Input> = StandardSchemaV1<unknown, Input>

/**
 * A tool of an MCP server as `streamText`, `generateText` and agents of the AI SDK take it.
 *
 * @typeParam Input What the model calls it with.
 * @typeParam TResult What it returns in the end.
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
  /** What the server says of the tool, for the user interface: `toolMetadata` of its parts. */
  metadata: { [key: string]: JsonValue | undefined }
  needsApproval?: (input: Input) => boolean | PromiseLike<boolean>
  execute(input: Input, options: McpToolExecution): AsyncGenerator<McpToolOutput<TResult>, void, undefined>
  toModelOutput(options: { output: unknown }): McpModelOutput
}
