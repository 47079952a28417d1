import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputRequest } from '../protocol/inputRequest.js'
import type { CallHooks, ToolCallRequest, ToolCallResponse } from '../protocol/taskPort.js'
import type { Tool } from '../protocol/tool.js'
import type { ConnectionState } from './connection.js'
import type { TaskApi, TaskOptIn } from './taskApi.js'

/** How one `tools/call` is made. */
export interface SdkCall {
  readonly ask?: CallHooks['ask'] | undefined
  /** How the call asks for a task, in an era in which it has to. */
  readonly optIn?: TaskOptIn | undefined
  /** The same for every repetition of the call, where the server takes one. */
  readonly idempotencyKey?: string | undefined
}

/** An SDK client that is connected. */
export interface ConnectedSdk {
  readonly state: ConnectionState
  readonly tasks: TaskApi
  /** Sends `tools/call`, once; an immediate result goes through what validation the SDK has. */
  callTool(request: ToolCallRequest, call: SdkCall, signal: AbortSignal | undefined): Promise<ToolCallResponse>
  /** Puts the result of a task through the same validation, without asking the server. */
  validate(name: string, result: CallToolResult): Promise<CallToolResult>
  listTools(): Promise<Tool[]>
  /** Asks the server for the least that it can answer. Absent where no call is sent a second time. */
  readonly ping?: (signal: AbortSignal) => Promise<unknown>
  /** Whether the connection is over. */
  isLost(): boolean
}

/** An SDK client of either major version, as a connection uses it. */
export interface SdkAdapter {
  /** The era that was negotiated; undefined before. */
  era(): 'modern' | 'legacy' | undefined
  /** As in `TaskPort`. */
  missingCapability(request: InputRequest): string | undefined
  /**
   * Uses the connection that there is, or makes one, until the signal aborts. `onConnecting` is called before it makes one.
   */
  open(onConnecting: () => void, signal: AbortSignal): Promise<ConnectedSdk>
  /** Closes the connection that `open` has made, also while it is opening. One that the app has made stays open. */
  close(): Promise<void>
}
