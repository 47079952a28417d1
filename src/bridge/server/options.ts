import type { TaskClient } from '../../core/client/taskClient.js'
import type { Environment } from '../../core/environment/environment.js'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { CompletedToolCall, ToolCallState } from '../../core/record/toolCallState.js'

/** An action that a page requests. */
export interface BridgeAction {
  /**
   * `start` calls the tool. `cancel`, `respond`, `forget` and `resume` concern a call that the page sees; `resume` fetches
   * the outcome of a call that ended before the backend created its current client. `listTools` decides whether the page
   * sees the tool in the list.
   */
  readonly type: 'start' | 'cancel' | 'respond' | 'forget' | 'resume' | 'listTools'
  /** The tool's name. */
  readonly tool: string
  /** The arguments of a `start`, as the page sent them. Only their size and nesting were checked. */
  readonly arguments?: Readonly<Record<string, unknown>>
  /** The key of the input request, with `respond`. */
  readonly inputKey?: string
}

/** The actions that pages may take. */
export type BridgeAllow =
  | {
      /** The tools that pages may call. By default, they see only the calls of these tools. */
      readonly tools: readonly string[]
    }
  | ((action: BridgeAction, request: Request) => boolean | Promise<boolean>)

/** Options of {@link createTaskBridge}. */
export interface TaskBridgeOptions {
  /**
   * Returns the client of the user who sends the request. Find the user by your session or token. Each user needs one
   * client for all requests, with its own `scope`. Return nothing if the user is not signed in: the page gets a 401, and
   * shows `connection.status: 'unauthorized'`. The bridge also calls `clientOf` once a minute for each open stream, with
   * the request that opened the stream, and ends the stream if the user has signed out. If `clientOf` throws in that check,
   * the stream stays open.
   */
  clientOf: (request: Request) => TaskClient<unknown> | undefined | Promise<TaskClient<unknown> | undefined>
  /** The actions that pages may take. All others are refused. */
  allow: BridgeAllow
  /**
   * Returns true for each call of the user's client that pages may see. It must not be asynchronous: a promise shows nothing. The bridge
   * calls it again whenever the call changes, and not in between.
   * @default the calls of `allow.tools`; all calls, if `allow` is a function
   */
  shows?: (call: ToolCallState) => boolean
  /**
   * Returns the part of a call's result to send to the page. It must not be asynchronous: a promise sends an empty error.
   * @default all of it
   */
  select?: (call: CompletedToolCall) => CallToolResult
  /** The message for the page if `clientOf` returns nothing. @default 'Sign in to see your calls.' */
  signInMessage?: string
  /**
   * The origins of your pages, such as `https://app.example`. Set them if a proxy changes the host of requests.
   * @default the origin of the request
   */
  origins?: readonly string[]
  /** The largest request body, in bytes. @default 1048576 */
  maxBodyBytes?: number
  /** How many actions of a user may run at once. Further actions get a 429, and pages send them again later. @default 64 */
  maxActions?: number
  /** How many streams of a user may be open at once. A browser opens one stream for all of its tabs. @default 32 */
  maxStreams?: number
  /**
   * How often a stream or a socket sends a heartbeat, in ms. Longer times than 15000 apply to sockets only: a page opens a
   * new stream after 45 seconds without a sign of life.
   * @default 15000
   */
  heartbeatMs?: number
  /**
   * How much the bridge buffers for a page that reads slowly, in bytes. Beyond that, the page gets only the newest state of
   * each call. A page that reads nothing for four heartbeats is disconnected.
   * @default 16384
   */
  highWaterMark?: number
  /** Called with the error if `clientOf`, `allow`, `select` or `shows` throws. */
  onError?: (error: Error) => void
  /** For tests: time and randomness. */
  environment?: Partial<Environment>
}
