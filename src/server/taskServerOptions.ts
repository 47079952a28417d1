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
  /** Name and version of the server, as clients see them. */
  serverInfo: Implementation
  /**
   * Made with {@link defineTool}; each name once. Or a function that returns the tools of an owner (see `owner`), where they
   * differ or change: it is called for each request and each job, so keep the list, and return the same one until it changes.
   * After a change, call `server.notify.toolsChanged()`. Running calls end with the tool that they began with.
   */
  tools: readonly ToolDefinition[] | ((owner: string) => readonly ToolDefinition[])
  /** Where tasks live. @default a `InMemoryTaskStore` of this server's own */
  store?: TaskStore
  /**
   * How long a task that has failed is kept at least for operators (`server.operator`), who can have it run again, in ms.
   * Applies if its call is kept: with an `executor`, or for tools with `onOrphan: 'retry'` over a shared store.
   * @default 86_400_000, one day
   */
  keepFailedMs?: number
  /**
   * Where work is done that is not done in the process of the request: a queue that `createTaskWorker` takes jobs from, or
   * anything else that starts a job. The store must have `lapsed`.
   * @default in this process
   */
  executor?: TaskExecutor
  /**
   * How long the work of a process counts as being done without a sign of life from it, in ms. Twice as long at most, and
   * the task is started again or has failed, see `onOrphan` of tools. Where the store is shared and has `lapsed`. The clocks
   * of all processes have to agree within a small part of it.
   * @default 30_000
   */
  leaseMs?: number
  /**
   * Encrypts the content of tasks for the store: arguments, `authInfo` without the token, input requests and responses,
   * results of `once()`, messages, progress, results and errors. Ids, owners, tool names, status, times and leases stay in
   * clear text. Pass it with `open` to every server and every worker. @default content is stored as it is
   */
  seal?(text: string): string | Promise<string>
  /** Decrypts the output of `seal`. If it rejects, the task is left alone, and `onError` is called. */
  open?(sealed: string): string | Promise<string>
  /**
   * How many task handlers may run at a time in this process. Other tasks wait for their turn, and their status says how
   * many come before them. @default as many as there are tasks
   */
  maxRunning?: number
  /** @default the clock of the machine */
  clock?: Clock
  /**
   * How long tasks are kept after their end, and how long an input request may stay without a response, in ms; null: without
   * limit. A task that waits for a worker or is worked on does not expire. @default 3_600_000, one hour
   */
  defaultTtlMs?: number | null
  /** The longest `ttlMs` that a tool may have, in ms. @default without limit */
  maxTtlMs?: number
  /**
   * The interval between two polls that clients keep to, in ms; or a function that says so each time, by the load of this
   * process. @default 1000
   */
  pollIntervalMs?: number | ((load: TaskServerLoad) => number)
  /**
   * Decides whether a call of an `optional` tool becomes a task, for clients that can do with one; `required`
   * tools are not asked about (SEP-2663: the server is the sole decider). With `{ afterMs }`, a call becomes a task when it asks
   * for input or has not ended after so many ms; one that ends sooner is answered with its result. Such a call does not wait for
   * `maxRunning`. With an `executor`, it becomes a task at once.
   * @default every call does
   */
  augment?(call: TaskCandidate): TaskDecision | Promise<TaskDecision>
  /**
   * Returns who sends a request, or a response that refuses it, such as a 401. Called for every request but preflights,
   * which browsers send without credentials. Pages on other origins can read the refusal, `WWW-Authenticate` included, where
   * `cors` lets them in. `requireBearerAuth` of the SDK makes such a function. If it throws, the request is refused with
   * 500.
   * @default accepts every request, with the `authInfo` that was passed to `fetch`
   */
  authenticate?(request: Request): AuthInfo | Response | Promise<AuthInfo | Response>
  /**
   * Names whose tasks a request may create and see. A task of another owner looks the same as none. A request without
   * a name (undefined, or an empty text, or a text such as "undefined" that a template string makes of a missing value)
   * is refused with -32603, and `onError` is called.
   * @default the principal of `authInfo`: the user by `extra.sub` and `extra.iss` where the token names one, else the client by
   * `clientId`. Without `authInfo` all callers are the same owner: any caller that knows a task id may use the task
   */
  owner?(request: Request, authInfo: AuthInfo | undefined): string | undefined | Promise<string | undefined>
  /**
   * Whether a `tools/call` that comes again under the same key (`_meta['dev.taskwire/idempotencyKey']`) is answered with the
   * outcome of the first one, for as long as its task is kept. The outcome of a call that is answered directly is kept for
   * that, too, and its handler keeps running if the client disconnects. @default true
   */
  idempotentCalls?: boolean
  /**
   * Whether clients may listen to their tasks by `subscriptions/listen`. If false, they poll, which they always may.
   * @default true
   */
  push?: boolean
  /**
   * How many tasks that are not over an owner may have: in all processes, where the store has `countAtWork`, else in this
   * one. The next call is refused with -32010.
   * @default 1000
   */
  maxTasksPerOwner?: number
  /** How many tasks may run in this process. The next call is refused with -32010. @default 10_000 */
  maxTasks?: number
  /**
   * How many tasks of an owner are kept that have ended in this process, if their ttl is not over before. The one that ended
   * first is removed first; to clients it has expired.
   * @default 1000; without `owner` and `authenticate` as `maxEndedTasks`
   */
  maxEndedTasksPerOwner?: number
  /** The same for all owners together. @default 10_000 */
  maxEndedTasks?: number
  /**
   * How many streams of `subscriptions/listen` an owner may have open.
   * @default 64; without `owner` and
   * `authenticate` as `maxStreams`
   */
  maxStreamsPerOwner?: number
  /** How many streams of `subscriptions/listen` may be open in this process. @default 10_000 */
  maxStreams?: number
  /** Largest request body, in bytes. @default 4 MiB */
  maxRequestBodySize?: number
  /** Largest result of a tool, in bytes of JSON. A call with a larger one fails. @default 4 MiB */
  maxResultSize?: number
  /**
   * Lets pages of other origins in: `true` for every origin. Those that are not let in are refused with 403, also where the
   * name of their host was made to point here (DNS rebinding): a page that the server itself serves over plain HTTP under a
   * name other than localhost has to be named, too.
   * @default false: pages of the server's own origin only
   */
  cors?: boolean | CorsOptions
  /**
   * A tool for clients without tasks, so that they can use `optional` tools that take longer than such clients wait. A call
   * that has not ended after `afterMs` is answered with a handle in words, and the tool, `get_result` unless `name` says
   * otherwise, waits for the result by that handle. Clients without tasks see no `outputSchema` of `optional` tools then.
   * @default none: such clients wait for the response
   */
  resultTool?: { readonly afterMs: number; readonly name?: string }
  /** Sees every call, for traces and metrics: `instrumentTaskServer()` of `taskwire/otel`. */
  instrument?: TaskServerInstrument
  /** Called with errors. @default to `logger`: requests that are refused as `debug`, everything else as `error` */
  onError?: ReportError
  /**
   * Writes the log: problems, the outcomes of tasks, lost and rescued work, limits that were reached. Tasks are named by a hash
   * of their id. `console` logs everything; so does any logger that takes a message and then an object.
   * @default the console, warnings and errors only
   */
  logger?: TaskLogger
  /** Options of the SDK's server: `instructions`, `cacheHints`, `requestState` and the like. */
  serverOptions?: McpServerOptions
  /** Registers what has nothing to do with tasks on the SDK's server: resources, prompts, tools of its own. */
  setup?(server: McpServer, context: McpRequestContext): void | Promise<void>
}

/** How much a process has to do. */
export interface TaskServerLoad {
  /** How many handlers of tasks run. */
  readonly running: number
  /** How many tasks wait for their turn (`maxRunning`), and how many jobs of the `executor` for a worker, if it counts them. */
  readonly waiting: number
}

/** A call that could become a task. */
export interface TaskCandidate {
  /** The tool. */
  readonly name: string
  /** As the tool's `inputSchema` returned them. */
  readonly arguments: unknown
  readonly request: Request
  readonly authInfo: AuthInfo | undefined
}

/** The context of a request. */
export interface TaskServerRequestOptions extends McpHandlerRequestOptions {
  /**
   * Keeps the platform from stopping work once the response is out. Workers need it: pass
   * `(promise) => ctx.waitUntil(promise)`.
   */
  waitUntil?(work: Promise<unknown>): void
}
