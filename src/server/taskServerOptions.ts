import type {
  AuthInfo,
  Implementation,
  McpHandlerRequestOptions,
  McpRequestContext,
  McpServer,
  McpServerOptions,
} from '@modelcontextprotocol/server'
import type { Clock } from './base/clock.js'
import type { TaskLogger } from './base/logger.js'
import type { ReportError } from './base/reportError.js'
import type { TaskServerInstrument } from './base/taskServerInstrument.js'
import type { CorsOptions } from './http/cors.js'
import type { TaskExecutor } from './tasks/executor.js'
import type { TaskStore } from './tasks/taskStore.js'
import type { TaskDecision, ToolDefinition } from './tools/defineTool.js'

/** Options of {@link createTaskServer}. */
export interface TaskServerOptions {
  /** The name and version of the server that clients see. */
  serverInfo: Implementation
  /**
   * The tools, made with {@link defineTool}, each name once. If tools differ by owner or change, pass a function that
   * returns the tools of an owner (see `owner`). It is called for each request and each job, so return the same list until
   * the list changes. After a change, call `server.notify.toolsChanged()`. Running calls keep the tool that they started
   * with.
   */
  tools: readonly ToolDefinition[] | ((owner: string) => readonly ToolDefinition[])
  /** The store of tasks. @default a new `InMemoryTaskStore` for this server */
  store?: TaskStore
  /**
   * The minimum time for which a failed task is kept, so that operators (`server.operator`) can run it again, in ms.
   * Applies to tasks whose call is stored: with an `executor`, or for tools with `onOrphan: 'retry'` over a shared store.
   * @default 86_400_000, one day
   */
  keepFailedMs?: number
  /**
   * Runs the work outside the process of the request: a queue for `createTaskWorker`, or anything else that starts a job.
   * The store must have `lapsed`.
   * @default the work runs in this process
   */
  executor?: TaskExecutor
  /**
   * How long a process may show no sign of life before its work counts as lost, in ms. After twice this time at the latest,
   * another process starts the task again or fails it: see `onOrphan` of tools. Applies if the store is shared and has
   * `lapsed`. Pass the same time to all servers and workers. Their clocks should agree to within a small fraction of it.
   * @default 30_000
   */
  leaseMs?: number
  /**
   * Encrypts the content of tasks for the store: arguments, `authInfo` without the token, input requests and responses,
   * results of `once()`, messages, progress, results and errors. Ids, owners, tool names, status, times and leases stay in
   * clear text. Pass `seal` and `open` to every server and every worker. @default content is stored in clear text
   */
  seal?(text: string): string | Promise<string>
  /** Decrypts the output of `seal`. If it rejects, the server does not change the task, and calls `onError`. */
  open?(sealed: string): string | Promise<string>
  /**
   * How many task handlers may run at a time in this process. Other tasks wait for their turn, and their status message
   * says how many tasks come before them. @default no limit
   */
  maxRunning?: number
  /** The time of the server, which tests can replace. @default the clock of the machine */
  clock?: Clock
  /**
   * How long tasks are kept after their end, and how long an input request may stay without a response, in ms; null for no
   * limit. A task that runs or waits for a worker does not expire. @default 3_600_000, one hour
   */
  defaultTtlMs?: number | null
  /** The longest `ttlMs` that a tool may have, in ms. @default no limit */
  maxTtlMs?: number
  /**
   * The interval between two polls that the server asks clients to keep, in ms, or a function that returns the interval for
   * the current load of this process. @default 1000
   */
  pollIntervalMs?: number | ((load: TaskServerLoad) => number)
  /**
   * Decides whether a call of an `optional` tool becomes a task, if the client supports tasks (SEP-2663: the server is the
   * sole decider). Not called for `required` tools. With `{ afterMs }`, a call becomes a task when it asks for input or has
   * not ended after this time; a call that ends sooner is answered with its result. Such a call does not wait for
   * `maxRunning`. With an `executor`, it becomes a task at once.
   * @default every call becomes a task
   */
  augment?(call: TaskCandidate): TaskDecision | Promise<TaskDecision>
  /**
   * Returns the identity of the caller, or a response that refuses the request, such as a 401. Called for every request
   * except preflights, which browsers send without credentials. If `cors` permits their origin, pages can read the refusal,
   * including `WWW-Authenticate`. `requireBearerAuth` of the SDK makes such a function. If it throws, the request is
   * refused with 500.
   * @default accepts every request, with the `authInfo` that was passed to `fetch`
   */
  authenticate?(request: Request): AuthInfo | Response | Promise<AuthInfo | Response>
  /**
   * Returns the name of the owner whose tasks a request may create and see. A task of another owner looks like a task that
   * does not exist. If the name is missing (undefined, an empty string, or a string such as "undefined" that a template
   * string makes of a missing value), the request is refused with -32603, and `onError` is called.
   * @default the principal of `authInfo`: the user by `extra.sub` and `extra.iss` if the token names one, else the client
   * by `clientId`. Without `authInfo`, all callers are the same owner: any caller that knows a task id may use the task
   */
  owner?(request: Request, authInfo: AuthInfo | undefined): string | undefined | Promise<string | undefined>
  /**
   * Whether the server answers a repeated `tools/call` with the same key (`_meta['dev.taskwire/idempotencyKey']`) with the
   * outcome of the first call, as long as the task of that call is kept. For this, the server also keeps the outcome of a
   * call that it answers directly, and the handler of such a call keeps running if the client disconnects. @default true
   */
  idempotentCalls?: boolean
  /**
   * Whether clients may listen to their tasks with `subscriptions/listen`. If false, they can only poll.
   * @default true
   */
  push?: boolean
  /**
   * How many unfinished tasks an owner may have: in all processes if the store has `countAtWork`, else in this process. The
   * next call is refused with -32010.
   * @default 1000
   */
  maxTasksPerOwner?: number
  /** How many unfinished tasks may run in this process. The next call is refused with -32010. @default 10_000 */
  maxTasks?: number
  /**
   * How many ended tasks of an owner are kept until their ttl is over, of those that ended in this process. Beyond that,
   * the task that ended first is removed first; to clients it looks expired.
   * @default 1000; of tasks without an owner, the value of `maxEndedTasks`
   */
  maxEndedTasksPerOwner?: number
  /** The same for all owners together. @default 10_000 */
  maxEndedTasks?: number
  /**
   * How many streams of `subscriptions/listen` an owner may have open.
   * @default 64; without `owner` and `authenticate`, the value of `maxStreams`
   */
  maxStreamsPerOwner?: number
  /** How many streams of `subscriptions/listen` may be open in this process. @default 10_000 */
  maxStreams?: number
  /** The largest request body, in bytes. @default 4 MiB */
  maxRequestBodySize?: number
  /** The largest result of a tool, in bytes of JSON. A call with a larger result fails. @default 4 MiB */
  maxResultSize?: number
  /**
   * The other origins whose pages may call the server; `true` for every origin. The server refuses pages of all other
   * origins with 403. As protection against DNS rebinding, this includes a page that the server itself serves over plain
   * HTTP under a name other than localhost: list its origin, too.
   * @default false: pages of the server's own origin only
   */
  cors?: boolean | CorsOptions
  /**
   * Adds a tool for clients without tasks, so that they can use `optional` tools that take longer than these clients wait.
   * A call that has not ended after `afterMs` ms is answered with a text that contains a handle. The client passes the
   * handle to the added tool, which waits for the result. The tool is named `get_result` unless you set `name`. Clients
   * without tasks then see no `outputSchema` of `optional` tools.
   * @default no such tool: these clients wait for the response
   */
  resultTool?: { readonly afterMs: number; readonly name?: string }
  /** Observes every call, for traces and metrics: `instrumentTaskServer()` of `taskwire/otel`. */
  instrument?: TaskServerInstrument
  /** Called with errors. @default writes to `logger`: refused requests as `debug`, everything else as `error` */
  onError?: ReportError
  /**
   * The log: problems, the outcomes of tasks, lost and rescued work, reached limits. It names tasks by a hash of their id.
   * Pass `console` to log everything, or any logger whose methods take a message and then an object.
   * @default the console, with warnings and errors only
   */
  logger?: TaskLogger
  /** Options of the SDK's server: `instructions`, `cacheHints`, `requestState` and the like. */
  serverOptions?: McpServerOptions
  /** Registers features without tasks on the SDK's server: resources, prompts, other tools. */
  setup?(server: McpServer, context: McpRequestContext): void | Promise<void>
}

/** The load of a process. */
export interface TaskServerLoad {
  /** How many task handlers run. */
  readonly running: number
  /**
   * How many tasks wait for their turn (`maxRunning`), plus how many jobs of the `executor` wait for a worker, if it counts
   * them.
   */
  readonly waiting: number
}

/** A call that could become a task. */
export interface TaskCandidate {
  /** The tool. */
  readonly name: string
  /** The arguments, as the tool's `inputSchema` returned them. */
  readonly arguments: unknown
  readonly request: Request
  readonly authInfo: AuthInfo | undefined
}

/** The context of a request. */
export interface TaskServerRequestOptions extends McpHandlerRequestOptions {
  /**
   * Keeps the platform from stopping the work after the response was sent. Cloudflare Workers and similar platforms need
   * it: pass `(promise) => ctx.waitUntil(promise)`.
   */
  waitUntil?(work: Promise<unknown>): void
}
