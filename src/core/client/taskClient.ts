// Longer than other files: the types of the client and what they promise, and nothing that runs.
import type { StoreApi } from 'zustand/vanilla'
import type { Environment } from '../environment/environment.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import type { InputResponse } from '../protocol/inputRequest.js'
import type { ToolCallMeta } from '../protocol/register.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import type { CallMeta } from '../protocol/taskPort.js'
import type { Tool } from '../protocol/tool.js'
import type { SettledToolCall, ToolCallState } from '../record/toolCallState.js'
import type { InputHandlers } from '../run/inputs.js'
import type { KeptResults } from '../storage/keptResults.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import type { ConnectionState } from '../wire/connection.js'
import type { Job } from '../wire/jobs/job.js'
import type { StartedCall } from './callMeta.js'
import type { ObserveOptions, TaskClientObservation } from './observe/events.js'
import type { ToolCallGroup, ToolCallsFilter } from './toolCallGroup.js'
import type { AnyTools, ToolArguments, ToolName, ToolResult, WithArguments, WithTools } from './tools.js'

/** The tool to call. */
export type ToolCallParams<T = AnyTools, Name extends ToolName<T> = ToolName<T>> = { name: Name } & WithArguments<
  ToolArguments<T, Name>
>

/** How a call is made and followed. */
export interface ToolCallOptions {
  /**
   * Aborting it detaches: the promise rejects, the server keeps working, and the task can be resumed. To end the work, call
   * `cancel()`.
   */
  signal?: AbortSignal
  /**
   * Makes the call one of a kind: while a call with this key (and tool, endpoint and scope) is known, in
   * this page or in storage, the same call is returned instead of a second `tools/call`. A page knows the latest 200
   * that have ended, and a storage those whose outcome is that of a task: a call that was answered at once is made
   * again after that.
   */
  key?: string
  /**
   * Whether to call the tool again although a call with this key is known: never, where that call has settled, or always.
   * @default 'never'
   */
  repeat?: 'never' | 'settled' | 'always'
  /**
   * The app's own note on the call: a JSON object of at most 1 kB, such as a title for a list. The state of the call has it,
   * also after a reload, in other tabs, and wherever the record is read. The server never sees it. It is stored in clear text,
   * so it must hold no secret. If the key already has a call, the note of that call stays. `Register` types it.
   *
   * @example
   * ```ts
   * client.startToolCall({ name: 'generate_report' }, { key: 'report-Q3', meta: { title: 'Report of Q3' } })
   * ```
   */
  meta?: ToolCallMeta
  /**
   * Keeps the result of the call's task for longer than the server does, with the option `results` of the client: for a
   * week, up to this many bytes of JSON, `true` for 1,000,000. It is kept in clear text. A result with more bytes is not
   * kept, which is reported to `onError`.
   */
  keepResult?: boolean | { maxBytes: number }
}

/** A handle on a call; `await call.result`. */
export interface ToolCall<TResult = CallToolResult> {
  readonly callId: string
  /**
   * The tool's result, `isError: true` included. Rejects with a `TaskError`, or with the reason of the signal where this handle
   * was detached. A rejection without a handler is not reported as unhandled.
   */
  readonly result: Promise<TResult>
  getState(): ToolCallState
  /** When the task is polled next, ms since the epoch; undefined while nothing is scheduled. Its changes are not announced. */
  readonly nextPollAt: number | undefined
  /**
   * When the server last said how the task is, ms since the epoch, in an answer to a poll or a push, also where nothing
   * was new; undefined before the call has become a task. Its changes are not announced.
   *
   * It tells a slow task from a dead one. While it is recent, the server answers, and the work continues as far as the server
   * knows; `task` and `progress` say whether it gets anywhere. Where it is older than three intervals (`task.pollIntervalMs`),
   * or than `poll.safetyIntervalMs` with push, the server has not been heard of, and `network` says why.
   */
  readonly lastHeardAt: number | undefined
  subscribe(listener: (state: ToolCallState) => void): () => void
  /** Asks the server to stop the work, once, and keeps observing: a task that completes anyway still resolves. */
  cancel(): Promise<void>
  /** Stops waiting here. The task lives on and stays resumable. */
  detach(): void
  /**
   * Responds to an input request: checked, then sent, once. A response that cannot get through is repeated until it
   * does. Resolves only if the server has taken this response, or an equal one from this tab.
   *
   * @throws {TaskInputError} where the response does not fit the input request, where another one is being sent, or where
   * the input request is gone or answered.
   */
  respond(inputKey: string, response: InputResponse): Promise<void>
}

/** The state in `client.store`. */
export interface TaskClientState {
  readonly connection: ConnectionState
  /**
   * By id. Of calls that have ended, the latest 200 with a key and 200 without stay, the latter for five minutes and
   * until the next call; handles keep the last state. A call that a handle or a hook listens to stays in any case.
   */
  readonly calls: Readonly<Record<string, ToolCallState>>
}

/** The context of an error reported to `onError`. */
export interface TaskErrorContext {
  readonly callId?: string
  readonly operation: 'connect' | 'poll' | 'cancel' | 'respond' | 'storage' | 'protocol' | 'resume'
}

/** A task to resume: its id, with the tool's name where it is known. */
export interface TaskReference {
  taskId: string
  name?: string
}

/** Which calls to forget: one, or all of a scope. */
export type ForgetFilter = { callId: string; scope?: never } | { scope?: string; callId?: never }

/** Options of every client, however it is connected. */
export interface TaskClientBaseOptions {
  /**
   * Where records of running tasks are kept.
   * @default 'local' where there is one, else 'memory'; in the `sessionStorage` of their tab those that name a session
   * of an MCP 2025-11-25 server
   */
  storage?: 'local' | 'session' | 'memory' | TaskStorage
  /** Where results of calls with `keepResult` are kept: `keptResults()` of `taskwire/results`. @default nowhere */
  results?: KeptResults
  /** Account or tenant. Records of one scope are invisible to every other. @default '' */
  scope?: string
  /**
   * Names the server: records and tabs are shared by clients with the same endpoint and scope, and by no others. It
   * is stored as it is, so it must hold no secret. Set it where the query of the `url` changes between visits, for
   * instance because a token is in it.
   *
   * The URL of an SDK client is not known. Without an endpoint its calls live as long as the page and are not shared
   * between tabs, which is reported to `onError` once, unless `storage` is `'memory'`.
   * @default with `url` its origin, its path and a hash of its query, with a hash in place of each segment of the path that
   * is no word and may be a secret; with `client` none
   */
  endpoint?: string
  poll?: {
    /** Used where the server does not say, in ms. @default 1000 */
    defaultIntervalMs?: number
    /** No task is polled more often than this, in ms. @default 50 */
    minIntervalMs?: number
    /** How often a task is polled while the server pushes what happens to it, in ms. @default 30000 */
    safetyIntervalMs?: number
    /** Whether a hidden page continues to poll, or pauses. @default 'continue' */
    hidden?: 'continue' | 'pause'
    /**
     * How many `tasks/get` may run at once. @default 5, and 6 with `push: false`: a browser has six connections to a server
     * over HTTP/1.1, and the push stream takes one
     */
    maxConcurrent?: number
  }
  /**
   * How long the server may take to answer a `tools/call` with a result, an input request or a task, in ms; then the
   * call fails with `ToolCallInterruptedError`, since the tool may be running. Also how long a call is sent again that
   * was not answered, where the server knows it by its key. The life of a task does not count, nor
   * the time in which an input request waits for its response.
   * @default 3600000
   */
  callTimeoutMs?: number
  /** Backoff after failures that may pass. */
  retry?: {
    /** First delay, doubled with each failure, in ms. @default 500 */
    baseMs?: number
    /** Longest delay, in ms. @default 30000 */
    maxMs?: number
    /** Failures in a row after which a call gives up with `TaskUnreachableError`. @default unlimited; the ttl bounds it */
    maxAttempts?: number
    /**
     * How often connecting is tried in a row, for `connect()`, a call or `listTools()`, before it fails with
     * `ConnectionFailedError`. Only what may pass is tried again: the network, an answer that does not come in 30 s, HTTP 408, 425,
     * 429 and 5xx. After that the next use tries again, and the page does when it comes online or is shown. `tools/call` is
     * never repeated. Calls that wait end by their `signal`.
     * @default unlimited, as polls are
     */
    connectAttempts?: number
  }
  /**
   * Whether to ask the server to push what happens to tasks (`subscriptions/listen`). Polling of a task relaxes to
   * `poll.safetyIntervalMs` once something of it was pushed.
   * @default true
   */
  push?: boolean
  /** How the server's input requests are handled. */
  input?: {
    /** Respond to input requests without a user interface. Requests without a handler wait for `respond()`. */
    handlers?: InputHandlers
    /**
     * How an input request without a handler is treated: it waits for `respond()`, or the call fails with
     * `TaskInputRequiredError`.
     * @default 'wait'
     */
    missing?: 'wait' | 'error'
    /**
     * Polls in a row in which a task asks for input and nothing is left to be answered, after which it is
     * cancelled and the call fails with `TaskStuckError`. An input request that somebody thinks over does not count.
     * @default 60
     */
    stuckAfterPolls?: number
  }
  /**
   * Whether the tabs of a browser share the work: one polls for all, and two that start the same call at
   * the same moment make it once. Needs Web Locks and BroadcastChannel; without them each tab works alone.
   * @default true
   */
  crossTab?: boolean
  /**
   * Whether listeners of the store, and with them components, are called at most once a frame (16 ms) while nothing but
   * the progress of tasks changes: a server may push faster than a page can render.
   * @default true
   */
  batchUpdates?: boolean
  /**
   * `'eager'`: every task is followed to its end, also those that no component watches and those of earlier visits.
   * `'lazy'`: only while somebody waits for it.
   * @default 'eager'
   */
  resume?: 'eager' | 'lazy'
  /**
   * Pairs of tools of a server without tasks, one that starts work and one that says how it stands, which are called as one:
   * made by `defineJob` of `taskwire/jobs`. A call of the start tool is followed like a call that the server made a task.
   */
  jobs?: readonly Job[]
  /**
   * `toolsHash` of the module that `npx taskwire types` writes. In development the server's tools are listed once after
   * the connection is made, and a warning says so where their types have changed since. A production build asks nothing.
   */
  toolsHash?: string
  /** Called with what went wrong without ending a call: failed polls, storage that throws, protocol violations. */
  onError?: (error: Error, context: TaskErrorContext) => void
  /** For tests: time, network and storage of the page. */
  environment?: Partial<Environment>
}

/** The requests of the Tasks extension (SEP-2663), for an app that follows a task itself. */
export interface TaskRequests {
  /** `tasks/get`. */
  get(taskId: string, options?: { signal?: AbortSignal }): Promise<DetailedTask>
  /** `tasks/update`: responses to input requests, by their key. */
  update(taskId: string, inputResponses: Record<string, InputResponse>): Promise<void>
  /** `tasks/cancel`. */
  cancel(taskId: string): Promise<void>
}

/**
 * Calls tools and follows what becomes a task, across reloads. Made by `createTaskClient`.
 *
 * @typeParam T The server's tools, where they are known: names, arguments and results are typed by them.
 */
export interface TaskClient<T = AnyTools> extends WithTools<T> {
  /** `zustand` vanilla store: `{ connection, calls }`. */
  readonly store: StoreApi<TaskClientState>
  /** Names server and scope in query keys; holds no secret. */
  readonly id: string
  /** The `url` that the client was made with; undefined with an SDK client. */
  readonly url?: string | URL | undefined
  /**
   * Connects, where the first use has not done it yet. A sign-in that has failed may be tried again after it: call it when the
   * user asks to sign in again, or has signed in over a transport of your own.
   *
   * @throws {ConnectionFailedError} with what to do about it.
   */
  connect(): Promise<void>
  /**
   * Resumes the tasks that earlier visits left running, each once; with a filter, the one call, which fails with
   * `ToolCallInterruptedError` where its response never came. With `resume: 'eager'` the React provider does it on mount and
   * `connect()` does it, too. After `close()` it returns no calls.
   */
  resumeToolCalls(filter?: { callId?: string }): Promise<readonly ToolCall[]>
  /** The option `jobs`. */
  readonly jobs?: readonly Job[] | undefined
  /** When tasks of earlier visits are resumed. */
  readonly resume: 'eager' | 'lazy'
  /** Calls a tool and waits for its final result, whatever the server makes of the call. */
  callTool<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: ToolCallOptions,
  ): Promise<ToolResult<T, Name>>
  /**
   * The same, with a handle on the call. Where it cannot be made (the signal has aborted, the client is
   * closed), `result` says why.
   */
  startToolCall<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: ToolCallOptions,
  ): ToolCall<ToolResult<T, Name>>
  /**
   * Follows a task by its id, for instance one that another device started: once, however often and from however many pages
   * this is called. With a `key` it becomes the call of that key.
   *
   * @throws {TaskConfigurationError} for a `key` without the tool's name, or that of another call that is running.
   */
  resumeTask(
    task: string | TaskReference,
    options?: Pick<ToolCallOptions, 'signal' | 'key' | 'meta' | 'keepResult'>,
  ): ToolCall
  /** The call with this id, where there is one. */
  getToolCall(callId: string): ToolCall | undefined
  /**
   * Many calls as one, such as those of a batch: how many run, have completed and have failed, how far they are together.
   * A filter by `meta` finds them again after a reload.
   *
   * @example
   * ```ts
   * const batch = client.toolCalls({ filter: (call) => call.meta?.batch === 'trailer' })
   * batch.subscribe(({ progress }) => console.log(`${progress.progress} of ${progress.total}`))
   * ```
   */
  toolCalls(options?: ToolCallsFilter): ToolCallGroup
  /** The call with this id as `store` shows it, without a snapshot of all of them. */
  getToolCallState(callId: string): ToolCallState | undefined
  /**
   * Calls the listener when the call with this id has changed, also when it appears or is forgotten: the cost is the
   * same whatever the number of calls. Returns a function that unsubscribes.
   */
  subscribeToolCall(callId: string, listener: () => void): () => void
  /** The id that a call with these params and this key has or would have. */
  toolCallId(name: ToolName<T>, key: string): string
  /** The requests of the Tasks extension, each once: nothing is polled, recorded or repeated. */
  readonly tasks: TaskRequests
  /** Calls a tool and returns a task as a task: not polled, not recorded. */
  callToolRaw<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: { signal?: AbortSignal },
  ): Promise<{ type: 'result'; result: ToolResult<T, Name> } | { type: 'task'; task: Task }>
  /**
   * Called with every call that ends while this page is open, also with one that no component observes: for a toast or
   * a system notification. With several tabs, it is called in each.
   */
  onToolCallSettled(listener: (call: SettledToolCall) => void): () => void
  /**
   * Called when calls were forgotten, here or in another tab: `isForgotten(callId)` is true for each of them, and without an id
   * where every call was forgotten. Remove copies of their results that your app has kept; the hooks and the queries of this
   * package do that. Returns a function that unsubscribes.
   *
   * @example
   * ```ts
   * const texts = new Map<string, string>() // what the app keeps of results, by the id of their call
   * client.onForgotten((isForgotten) => {
   *   for (const callId of texts.keys()) if (isForgotten(callId)) texts.delete(callId)
   * })
   * ```
   */
  onForgotten(listener: (isForgotten: (callId?: string) => boolean) => void): () => void
  /**
   * Calls the listener with everything that happens, in the order in which it does: each poll says why it came when it did. It
   * costs nothing without a listener, and names tasks by a short hash only. With `wire: true` it also reports every message
   * that is sent and received. Returns a function that unsubscribes.
   *
   * @example
   * ```ts
   * const stop = client.observe((observation) => {
   *   if (observation.type === 'poll-sent') console.log(observation.callId, observation.reason)
   * })
   * ```
   */
  observe(listener: (observation: TaskClientObservation) => void, options?: ObserveOptions): () => void
  /**
   * Adds members to `_meta` of each `tools/call` that `callTool` and `startToolCall` send, such as a trace context.
   * `prepare` is called while the app starts a call, and the function it returns when the request goes out: never, where
   * the call turns out to be that of an earlier visit or of another tab. Nothing of it is recorded. Returns a function
   * that removes `prepare`.
   *
   * @example
   * ```ts
   * client.addCallMeta(({ name }) => () => ({ 'com.example/tool': name }))
   * ```
   */
  addCallMeta(prepare: (call: StartedCall) => () => CallMeta): () => void
  /**
   * Drops a call from store and storage, or every call of a scope, by default this client's: for instance at sign-out. Hooks
   * and queries show nothing of it afterwards, and call no tool until they are mounted again or the user asks for it. It does
   * so in every tab. Tasks keep running on the server.
   *
   * @throws {TaskConfigurationError} for a filter that says nothing, such as a `callId` that is undefined.
   */
  forget(filter?: ForgetFilter): Promise<void>
  listTools(): Promise<Tool[]>
  /**
   * Starts a sign-in with the `authProvider`. Call it in the handler of a click, with nothing awaited before it, while
   * `connection.status` is `unauthorized`, or to ask for another account. Resolves to `authorized` where a refresh token made it
   * needless, else to `started`: the page is about to go to the authorization server, or a window is there already.
   * `connection.status` says when it is over.
   *
   * @throws {AuthorizationFailedError} where no sign-in could be started.
   * @throws {TaskConfigurationError} without an `authProvider` that can sign a user in.
   *
   * @example
   * ```tsx
   * const client = useTaskClient()
   * const { status } = useTaskConnection()
   * if (status === 'unauthorized') return <button onClick={() => client.authorize()}>Sign in</button>
   * ```
   */
  authorize(): Promise<'authorized' | 'started'>
  /**
   * Ends a sign-in, on the page that the authorization server leads back to: checks the callback and exchanges its code for
   * tokens. Resolves to `authorized`; in the window that another tab has opened for it to `handed-over`, once that tab has
   * signed in. Tasks keep running. Then remove the code from the address of the page: `history.replaceState()`.
   *
   * @throws {AuthorizationFailedError} `reason` says why; the message what to do. Neither holds a code, a token or the URL.
   *
   * @example
   * ```ts
   * const outcome = await client.finishAuthorization(location.href)
   * if (outcome === 'handed-over') window.close()
   * else location.replace('/')
   * ```
   */
  finishAuthorization(url: string | URL): Promise<'authorized' | 'handed-over'>
  /**
   * Forgets the tokens of the `authProvider`, and drops those that a refresh or sign-in brings afterwards, in every tab that
   * shares them. Without an `authProvider` there is nothing to forget. Tasks keep running on the server; their records and
   * results stay until `forget()`.
   */
  signOut(): Promise<void>
  /**
   * Stops following every call, and closes the connection where this client has opened it: an SDK client that the app
   * connected stays connected. Cancels no task; a `tools/call` that has no response yet is aborted. The calls leave the
   * store. Resolves when the storage has what the next page needs.
   */
  close(): Promise<void>
}
