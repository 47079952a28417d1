import type { TaskClient } from '../../core/client/taskClient.js'
import type { Environment } from '../../core/environment/environment.js'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import type { CompletedToolCall, ToolCallState } from '../../core/record/toolCallState.js'

/** Something that a page asks for. */
export interface BridgeAction {
  /**
   * `start` calls the tool; `cancel`, `respond` and `forget` are about a call that the page sees, as is `resume`, which
   * fetches the outcome of one that ended in an earlier life of the backend. `listTools` asks whether the page may know of the tool.
   */
  readonly type: 'start' | 'cancel' | 'respond' | 'forget' | 'resume' | 'listTools'
  /** The tool's name. */
  readonly tool: string
  /** The arguments of a `start`, as the page sent them. Only their size and nesting were checked. */
  readonly arguments?: Readonly<Record<string, unknown>>
  /** Of a `respond`. */
  readonly inputKey?: string
}

/** Which actions of pages are carried out. */
export type BridgeAllow =
  | {
      /** The tools that pages may call. They see the calls of these and of no others. */
      readonly tools: readonly string[]
    }
  | ((action: BridgeAction, request: Request) => boolean | Promise<boolean>)

/** Options of {@link createTaskBridge}. */
export interface TaskBridgeOptions {
  /**
   * Returns the client of the user who sends the request. Find the user by your session or token. Each user has one client
   * for all requests, with a `scope` of its own. Return nothing if the user is not signed in: the page gets a 401, and shows
   * `connection.status: 'unauthorized'`. It is also called once a minute for each open stream, with the request that has opened it: a stream
   * whose user has signed out ends. If it throws then, the stream stays.
   */
  clientOf: (request: Request) => TaskClient<unknown> | undefined | Promise<TaskClient<unknown> | undefined>
  /** The actions that pages may take. All others are refused. */
  allow: BridgeAllow
  /**
   * Returns true for the calls of the user's client that a page sees.
   * @default those of `allow.tools`; every one, where `allow` is a function
   */
  shows?: (call: ToolCallState) => boolean
  /** The part of a call's result that is sent to the page. @default all of it */
  select?: (call: CompletedToolCall) => CallToolResult
  /** The message for the page if `clientOf` returns nothing. @default 'Sign in to see your calls.' */
  signInMessage?: string
  /**
   * The origins of your pages, such as `https://app.example`. Name them where a proxy in front changes the host of requests.
   * @default the origin of the request
   */
  origins?: readonly string[]
  /** How long the body of a request may be, in bytes. @default 1048576 */
  maxBodyBytes?: number
  /** How many actions of a user may run at once. Others get a 429, and pages send them again later. @default 64 */
  maxActions?: number
  /** How many streams of a user may be open at once. A browser opens one for all of its tabs. @default 32 */
  maxStreams?: number
  /** How often a stream sends a sign of life, in ms. A page opens a new stream after three missing ones. @default 15000 */
  heartbeatMs?: number
  /**
   * How much is buffered for a page that reads slowly, in bytes. Beyond that, the page gets only the newest state of each
   * call. A page that reads nothing for four heartbeats is disconnected.
   * @default 16384
   */
  highWaterMark?: number
  /** Called with the error if `clientOf`, `allow`, `select` or `shows` throws. */
  onError?: (error: Error) => void
  /** For tests: time and chance. */
  environment?: Partial<Environment>
}
