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
   * Aborting it detaches: the promise rejects, the server keeps working, and the task can be resumed. To stop the work, call
   * `cancel()`.
   */
  signal?: AbortSignal
  /**
   * Makes the call unique: while a call with this key (and tool, endpoint and scope) is known, in this page or in storage,
   * that call is returned and no second `tools/call` is sent. A page knows the latest 200 calls that have ended. A storage
   * knows those that became a task; a call that the server answered at once is made again after a reload.
   */
  key?: string
  /**
   * Whether to call the tool again although a call with this key is known: never, only if that call has settled, or always.
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
   * The tool's result, `isError: true` included. Rejects with a `TaskError`, or with the reason of the signal if this handle
   * was detached. A rejection without a handler is not reported as unhandled.
   */
  readonly result: Promise<TResult>
  getState(): ToolCallState
  /**
   * When the task is polled next, ms since the epoch; undefined while nothing is scheduled. No listener is called when it
   * changes: read it when you render.
   */
  readonly nextPollAt: number | undefined
  /**
   * When the server last reported on the task, ms since the epoch: by an answer to a poll or by a push, even if nothing was
   * new. Undefined before the call has become a task. No listener is called when it changes: read it when you render.
   *
   * It tells a slow task from a dead one. While it is recent, the server answers, and as far as the server knows the work
   * continues; `task` and `progress` say whether there is progress. If it is older than three intervals
   * (`task.pollIntervalMs`), or than `poll.safetyIntervalMs` with push, the client has heard nothing from the server, and
   * `network` says why.
   */
  readonly lastHeardAt: number | undefined
  subscribe(listener: (state: ToolCallState) => void): () => void
  /** Asks the server to stop the work, once, and keeps observing: a task that completes anyway still resolves. */
  cancel(): Promise<void>
  /** Stops waiting here. The task lives on and stays resumable. */
  detach(): void
  /**
   * Responds to an input request: checked, then sent, once. If the network fails, the response is sent again until it
   * arrives, or until the call fails because its task is lost or its server cannot be reached: then it rejects with the same
   * `TaskExpiredError` or `TaskUnreachableError`. Resolves only once the server has accepted this response, or an equal one from
   * this tab.
   *
   * @throws {TaskInputError} if the response does not fit the input request, if another one is being sent, or if the input
   *   request is gone or answered.
   */
  respond(inputKey: string, response: InputResponse): Promise<void>
}

/** The state in `client.store`. */
export interface TaskClientState {
  readonly connection: ConnectionState
  /**
   * By id. Of the calls that have ended, the latest 200 with a key and the latest 200 without stay; those without a key stay
   * for five minutes at least, and go with the next call after that. A handle keeps its last state, and a call that a handle
   * or a hook listens to always stays.
   */
  readonly calls: Readonly<Record<string, ToolCallState>>
}

/** The context of an error reported to `onError`. */
export interface TaskErrorContext {
  readonly callId?: string
  readonly operation: 'connect' | 'poll' | 'cancel' | 'respond' | 'storage' | 'protocol' | 'resume'
}

/** A task to resume: its id, and the tool's name if it is known. */
export interface TaskReference {
  taskId: string
  name?: string
}

/** Which calls to forget: one, or all of a scope. */
export type ForgetFilter = { callId: string; scope?: never } | { scope?: string; callId?: never }

/** Options of every client, no matter how it connects. */
export interface TaskClientBaseOptions {
  /**
   * Where records of running tasks are kept.
   * @default 'local' where there is one, else 'memory'; in the `sessionStorage` of their tab those that name a session
   * of an MCP 2025-11-25 server
   */
  storage?: 'local' | 'session' | 'memory' | TaskStorage
  /** Where results of calls with `keepResult` are kept: `keptResults()` of `taskwire/results`. @default nowhere */
  results?: KeptResults
  /** The account or tenant. Records of one scope are invisible to all others. @default '' */
  scope?: string
  /**
   * Names the server: records and tabs are shared by clients with the same endpoint and scope, and by no others. It is
   * stored as it is, so it must hold no secret. Set it if the query of the `url` changes between visits, for instance
   * because it contains a token.
   *
   * The URL of an SDK client is not known. Without an endpoint its calls live as long as the page and are not shared
   * between tabs, which is reported to `onError` once, unless `storage` is `'memory'`.
   * @default with `url` its origin, its path and a hash of its query, with a hash in place of each segment of the path that
   *   is not a word and may be a secret; with `client` none
   */
  endpoint?: string
  poll?: {
    /** Used if the server names no interval, in ms. @default 1000 */
    defaultIntervalMs?: number
    /** No task is polled more often than this, in ms. @default 50 */
    minIntervalMs?: number
    /** How often a task is polled while the server pushes its changes, in ms. @default 30000 */
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
   * How long the server may take to answer a `tools/call` with a result, an input request or a task, in ms; then the call
   * fails with `ToolCallInterruptedError`, since the tool may be running. The lifetime of a task does not count, nor does the
   * time that an input request waits for its response. Also how long after its first attempt an unanswered call is sent
   * again, if the server recognises it by its key.
   * @default 3600000
   */
  callTimeoutMs?: number
  /** Backoff after failures that may be temporary. */
  retry?: {
    /** First delay, doubled with each failure, in ms. @default 500 */
    baseMs?: number
    /** Longest delay, in ms. @default 30000 */
    maxMs?: number
    /** Failures in a row after which a call gives up with `TaskUnreachableError`. @default unlimited, up to a day past the ttl */
    maxAttempts?: number
    /**
     * How many attempts to connect are made in a row, for `connect()`, a call or `listTools()`, before it fails with
     * `ConnectionFailedError`. Only temporary failures are tried again: the network, no answer within 30 s, HTTP 408, 425,
     * 429 and 5xx. After that, the next use tries again, and so does the page when it comes online or is shown. An attempt
     * to connect sends no `tools/call`. A `signal` ends only the waiting for a call; `cancel()` ends the call.
     * @default unlimited, as polls are
     */
    connectAttempts?: number
  }
  /**
   * Whether to ask the server to push changes of tasks (`subscriptions/listen`). A task is polled at `poll.safetyIntervalMs`
   * once the server has pushed something about it.
   * @default true
   */
  push?: boolean
  /** How the server's input requests are handled. */
  input?: {
    /** Respond to input requests without a user interface. Requests without a handler wait for `respond()`. */
    handlers?: InputHandlers
    /**
     * What to do with an input request without a handler: it waits for `respond()`, or the call fails with
     * `TaskInputRequiredError`.
     * @default 'wait'
     */
    missing?: 'wait' | 'error'
    /**
     * After how many polls in a row that ask for input without anything left to answer the task is cancelled and the call
     * fails with `TaskStuckError`. An open input request does not count.
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
   * Whether listeners of the store, and so components, are called at most once a frame (16 ms) while only the progress of
   * tasks changes: a server may push faster than a page can render.
   * @default true
   */
  batchUpdates?: boolean
  /**
   * `'eager'`: every task is followed to its end, including those of earlier visits and those that no component watches.
   * `'lazy'`: a task is followed only while something waits for it: the `result` of a handle, `useToolCall` or
   * `useToolCallState`.
   * @default 'eager'
   */
  resume?: 'eager' | 'lazy'
  /**
   * Pairs of tools of a server without tasks, one that starts work and one that says how it stands, which are called as one:
   * made by `defineJob` of `taskwire/jobs`. A call of the start tool is followed like a call that the server made a task.
   */
  jobs?: readonly Job[]
  /**
   * `toolsHash` of the module that `npx taskwire types` writes. In development, the client lists the server's tools once
   * after it has connected, and warns if their types have changed since. A production build sends no such request.
   */
  toolsHash?: string
  /** Called with errors that do not end a call: failed polls, storage that throws, protocol violations. */
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
 * Calls tools and follows the tasks that calls become, across reloads. Made by `createTaskClient`.
 *
 * @typeParam T The server's tools, if they are known: they type names, arguments and results.
 */
export interface TaskClient<T = AnyTools> extends WithTools<T> {
  /** `zustand` vanilla store: `{ connection, calls }`. */
  readonly store: StoreApi<TaskClientState>
  /** Names server and scope in query keys; holds no secret. */
  readonly id: string
  /** The `url` that the client was made with; undefined with an SDK client. */
  readonly url?: string | URL | undefined
  /**
   * Connects, if the first use has not done so yet. After a failed sign-in it allows another one: call it when the user asks
   * to sign in again, or has signed in over a transport of your own.
   *
   * @throws {ConnectionFailedError} if the server cannot be reached; the message says what to do.
   */
  connect(): Promise<void>
  /**
   * Resumes the tasks that earlier visits left running, each once. With a filter it resumes that one call, which fails with
   * `ToolCallInterruptedError` if its response never came. With `resume: 'eager'`, the React provider does this on mount,
   * and so does `connect()`. After `close()` it returns no calls.
   */
  resumeToolCalls(filter?: { callId?: string }): Promise<readonly ToolCall[]>
  /** The option `jobs`. */
  readonly jobs?: readonly Job[] | undefined
  /** When tasks of earlier visits are resumed. */
  readonly resume: 'eager' | 'lazy'
  /** Calls a tool and waits for its final result, whether or not the server makes it a task. */
  callTool<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: ToolCallOptions,
  ): Promise<ToolResult<T, Name>>
  /**
   * The same, with a handle on the call. If it cannot be made (the signal has aborted, the client is closed), `result` says
   * why.
   */
  startToolCall<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: ToolCallOptions,
  ): ToolCall<ToolResult<T, Name>>
  /**
   * Follows a task by its id, for instance one that another device started. The task is followed once, no matter how often
   * and from how many pages this is called. With a `key` it becomes the call of that key.
   *
   * @throws {TaskConfigurationError} for a `key` without the tool's name, or for the key of another call that is running.
   */
  resumeTask(
    task: string | TaskReference,
    options?: Pick<ToolCallOptions, 'signal' | 'key' | 'meta' | 'keepResult'>,
  ): ToolCall
  /** The call with this id, if there is one. */
  getToolCall(callId: string): ToolCall | undefined
  /**
   * Many calls as one, such as a batch: how many are running, have completed and have failed, and their progress together. A
   * filter by `meta` finds them again after a reload.
   *
   * @example
   * ```ts
   * const batch = client.toolCalls({ filter: (call) => call.meta?.batch === 'trailer' })
   * batch.subscribe(({ progress }) => console.log(`${progress.progress} of ${progress.total}`))
   * ```
   */
  toolCalls(options?: ToolCallsFilter): ToolCallGroup
  /** The state of the call with this id, as in `store`, without a snapshot of all calls. */
  getToolCallState(callId: string): ToolCallState | undefined
  /**
   * Calls the listener when the call with this id changes, appears or is forgotten. The cost does not depend on the number
   * of calls. Returns a function that unsubscribes.
   */
  subscribeToolCall(callId: string, listener: () => void): () => void
  /** The id that a call with these params and this key has or would have. */
  toolCallId(name: ToolName<T>, key: string): string
  /** The requests of the Tasks extension, each once: nothing is polled, recorded or repeated. */
  readonly tasks: TaskRequests
  /** Calls a tool, and returns a task as it is: it is not polled and not recorded. */
  callToolRaw<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: { signal?: AbortSignal },
  ): Promise<{ type: 'result'; result: ToolResult<T, Name> } | { type: 'task'; task: Task }>
  /**
   * Called with every call that ends while this page is open, even if no component observes it: for a toast or a system
   * notification. With several tabs, it is called in each of them.
   */
  onToolCallSettled(listener: (call: SettledToolCall) => void): () => void
  /**
   * Called when calls were forgotten, here or in another tab: `isForgotten(callId)` is true for each of them, and
   * `isForgotten()` if every call was forgotten. Remove copies of their results that your app has kept; the hooks and the
   * queries of this package do that. Returns a function that unsubscribes.
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
   * Calls the listener with everything that happens, in order: each poll says why it was sent at that time. Without a
   * listener it costs nothing. Tasks are named by a short hash only. With `wire: true` it also reports every message that is
   * sent and received. Returns a function that unsubscribes.
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
   * `prepare` is called while the app starts a call. The function that it returns is called when the request goes out, and
   * never if the call turns out to be one of an earlier visit or of another tab. Neither is recorded. Returns a function
   * that removes `prepare`.
   *
   * @example
   * ```ts
   * client.addCallMeta(({ name }) => () => ({ 'com.example/tool': name }))
   * ```
   */
  addCallMeta(prepare: (call: StartedCall) => () => CallMeta): () => void
  /**
   * Removes a call from the store and from storage, or every call of a scope, by default this client's: at sign-out, for
   * instance. It does so in every tab. Hooks and queries no longer show the call, and call no tool until they are mounted
   * again or the user asks for it. Tasks keep running on the server.
   *
   * @throws {TaskConfigurationError} for an empty filter, such as a `callId` that is undefined.
   */
  forget(filter?: ForgetFilter): Promise<void>
  listTools(): Promise<Tool[]>
  /**
   * Starts a sign-in with the `authProvider`. Call it in the handler of a click, with nothing awaited before it, while
   * `connection.status` is `unauthorized`, or to ask for another account. Resolves to `authorized` if a refresh token made
   * the sign-in unnecessary, else to `started`: the page is about to go to the authorization server, or a window is already
   * open. `connection.status` says when it is over.
   *
   * @throws {AuthorizationFailedError} if no sign-in could be started.
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
   * Completes a sign-in, on the page that the authorization server redirects to: checks the callback and exchanges its code
   * for tokens. Resolves to `authorized`, or, in a window that another tab has opened, to `handed-over` once that tab has
   * signed in. Tasks keep running. Afterwards, remove the code from the address of the page with `history.replaceState()`.
   *
   * @throws {AuthorizationFailedError} if the sign-in failed. Its `reason` says why, and the message what to do. Neither contains
   *   a code, a token or the URL.
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
   * Stops following every call, and closes the connection if this client opened it: an SDK client that the app connected
   * stays connected. It cancels no task, and aborts a `tools/call` that has no response yet. The calls leave the store.
   * Resolves when everything that the next page needs is in storage, at the latest after 5 s: what a storage fails to take in
   * that time goes to `onError`.
   */
  close(): Promise<void>
}
