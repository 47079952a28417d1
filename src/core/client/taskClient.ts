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

/** Options of a call. */
export interface ToolCallOptions {
  /**
   * Aborting it detaches: the promise rejects, the server keeps working, and the task can be resumed. To stop the work, call
   * `cancel()`.
   */
  signal?: AbortSignal
  /**
   * Makes the call unique: while this page or the storage knows a call with this key (and tool, endpoint and scope), you
   * get that call, and the client sends no second `tools/call`. A page knows the latest 200 ended calls with a key. The
   * storage knows calls that became a task: a call that the server answered at once is made again after a reload.
   */
  key?: string
  /**
   * Whether to call the tool again although a call with this key is known: never, only if that call has settled, or always.
   * @default 'never'
   */
  repeat?: 'never' | 'settled' | 'always'
  /**
   * The app's own note on the call: a JSON object of at most 1 kB, such as a title for a list. It is part of the call's
   * state, also after a reload, in other tabs, and wherever the record is read. The server never sees it. It is stored in
   * clear text, so it must not contain secrets. If there is already a call with the key, that call keeps its note. Declare
   * its type in `Register`.
   *
   * @example
   * ```ts
   * client.startToolCall({ name: 'generate_report' }, { key: 'report-Q3', meta: { title: 'Report of Q3' } })
   * ```
   */
  meta?: ToolCallMeta
  /**
   * Keeps the result of the call's task for a week, which may be longer than the server keeps it. Requires the option
   * `results` of the client. The limit is `maxBytes` of JSON, with `true` 1,000,000. A larger result is not kept, and
   * `onError` is called. Results are kept in clear text.
   */
  keepResult?: boolean | { maxBytes: number }
}

/** A handle on a call. `await call.result` waits for the outcome. */
export interface ToolCall<TResult = CallToolResult> {
  readonly callId: string
  /**
   * Resolves to the tool's result, including one with `isError: true`. Rejects with a `TaskError`, or with the reason of
   * the signal if this handle was detached. A rejection without a handler is not reported as unhandled.
   */
  readonly result: Promise<TResult>
  getState(): ToolCallState
  /**
   * The time of the next poll, in ms since the epoch; undefined while no poll is scheduled. Its changes call no listener:
   * read it when you render.
   */
  readonly nextPollAt: number | undefined
  /**
   * When the server last reported on the task, in ms since the epoch: in an answer to a poll or in a push, even if nothing
   * was new. Undefined before the call has become a task. Its changes call no listener: read it when you render.
   *
   * Use it to distinguish a slow task from a lost one. While the time is recent, the server answers and considers the work
   * as running; `task` and `progress` of the state show whether there is progress. If the time is older than three
   * intervals (`task.pollIntervalMs`), or than `poll.safetyIntervalMs` with push, the client does not hear from the server,
   * and `network` says why.
   */
  readonly lastHeardAt: number | undefined
  subscribe(listener: (state: ToolCallState) => void): () => void
  /**
   * Asks the server to stop the work, until it has taken or refused that, and keeps following the task: if the task completes
   * anyway, `result` still resolves. Rejects if the server refuses; `onError` of the client gets the error, too, and until the next poll `lastError`
   * of the state has it. You can pass it as an event handler: it causes no unhandled rejection.
   */
  cancel(): Promise<void>
  /** Stops waiting for the result. The task keeps running and can be resumed. */
  detach(): void
  /**
   * Responds to an input request. The client checks the response, then sends it once. If the network fails, it sends the
   * response again until it arrives. If the call fails meanwhile, because its task is lost or its server cannot be reached,
   * `respond()` rejects with the same `TaskExpiredError` or `TaskUnreachableError`. Resolves only when the server has
   * accepted this response, or an equal one from this tab.
   *
   * @throws {TaskInputError} if the response does not fit the input request, if another response is being sent, or if the
   *   input request is gone or answered.
   */
  respond(inputKey: string, response: InputResponse): Promise<void>
}

/** The state in `client.store`. */
export interface TaskClientState {
  readonly connection: ConnectionState
  /**
   * The calls by their id. Of the calls that have ended, the store keeps the latest 200 with a key, the latest 200 without
   * a key, and the latest 200 of earlier visits. It also removes a call without a key when another call starts five minutes
   * or more after its end. A call that a handle or a hook listens to always stays, and a handle keeps the last state of its
   * call.
   */
  readonly calls: Readonly<Record<string, ToolCallState>>
}

/** The context of an error that is reported to `onError`. */
export interface TaskErrorContext {
  readonly callId?: string
  readonly operation: 'connect' | 'poll' | 'cancel' | 'respond' | 'storage' | 'protocol' | 'resume' | 'observe'
}

/** A task to resume: its id, and the tool's name if it is known. */
export interface TaskReference {
  taskId: string
  name?: string
}

/** The calls to forget: one call, or all calls of a scope. */
export type ForgetFilter = { callId: string; scope?: never } | { scope?: string; callId?: never }

/** Options of every client, no matter how it connects. */
export interface TaskClientBaseOptions {
  /**
   * The storage for records of running tasks.
   * @default 'local' if the page has `localStorage`, else 'memory'. Records that name a session of an MCP 2025-11-25 server
   * go into the `sessionStorage` of their tab
   */
  storage?: 'local' | 'session' | 'memory' | TaskStorage
  /** The storage for results of calls with `keepResult`: `keptResults()` of `taskwire/results`. @default results are not kept */
  results?: KeptResults
  /** The account or tenant. Each scope sees only its own records. @default '' */
  scope?: string
  /**
   * Names the server: only clients with the same endpoint and scope share records and tabs. It is stored as it is, so it
   * must not contain secrets. Set it if the query of the `url` changes between visits, for instance because the query
   * contains a token.
   *
   * Taskwire does not know the URL of an SDK client. Without an endpoint, the calls of such a client last as long as the
   * page, and tabs do not share them. `onError` is called once about that, unless `storage` is `'memory'`.
   * @default with `url`, its origin, its path and a hash of its query; a path segment that is not a word, and so may be a
   *   secret, is replaced by a hash. With `client`, no endpoint
   */
  endpoint?: string
  poll?: {
    /** The interval between two polls if the server does not set one, in ms. @default 1000 */
    defaultIntervalMs?: number
    /** The shortest interval between two polls of a task, in ms. @default 50 */
    minIntervalMs?: number
    /** The interval between two polls of a task while the server pushes its changes, in ms. @default 30000 */
    safetyIntervalMs?: number
    /** Whether a hidden page continues to poll, or pauses. @default 'continue' */
    hidden?: 'continue' | 'pause'
    /**
     * How many `tasks/get` may run at once. @default 5, and 6 with `push: false`: a browser opens six connections to a
     * server over HTTP/1.1, and the push stream uses one
     */
    maxConcurrent?: number
  }
  /**
   * How long the server may take to answer a `tools/call` with a result, an input request or a task, in ms. After that the
   * call fails with `ToolCallInterruptedError`, since the tool may be running. The lifetime of a task does not count, and
   * neither does the time that an input request waits for its response. This is also how long after its first attempt the
   * client sends an unanswered call again, if the server recognises it by its key.
   * @default 3600000
   */
  callTimeoutMs?: number
  /** Backoff after failures that may be temporary. */
  retry?: {
    /** First delay, doubled with each failure, in ms. @default 500 */
    baseMs?: number
    /** Longest delay, in ms. @default 30000 */
    maxMs?: number
    /**
     * The number of failures in a row after which the call fails with `TaskUnreachableError`. It does not count tokens that
     * the server refuses, and `headers` functions that fail: the call waits for the user to sign in, up to a day past the
     * ttl. @default unlimited, up to a day past the ttl
     */
    maxAttempts?: number
    /**
     * How often in a row the client tries to connect for `connect()`, a call or `listTools()`, before that operation fails
     * with `ConnectionFailedError`. It tries again only after temporary failures: the network, no answer within 30 s, HTTP
     * 408, 425, 429 and 5xx. After the last attempt, the next use tries again, and so does the client when the page comes
     * online or is shown. An attempt to connect sends no `tools/call`. A `signal` only ends the waiting for a call;
     * `cancel()` ends the call.
     * @default unlimited, like polls
     */
    connectAttempts?: number
  }
  /**
   * Whether to ask the server to push changes of tasks (`subscriptions/listen`). Once the server has pushed something about
   * a task, the client polls that task at `poll.safetyIntervalMs`.
   * @default true
   */
  push?: boolean
  /** How the server's input requests are handled. */
  input?: {
    /** Handlers that respond to input requests without a user interface. Requests without a handler wait for `respond()`. */
    handlers?: InputHandlers
    /**
     * The treatment of an input request without a handler. `'wait'`: it waits for `respond()`. `'error'`: the call fails
     * with `TaskInputRequiredError`.
     * @default 'wait'
     */
    missing?: 'wait' | 'error'
    /**
     * The client cancels a task, and its call fails with `TaskStuckError`, after this many polls in a row in which the task
     * is `input_required` but has no input request left to answer. A poll with an open input request does not count.
     * @default 60
     */
    stuckAfterPolls?: number
  }
  /**
   * Whether the tabs of a browser share the work: one tab polls for all, and two tabs that start the same call at the same
   * moment make it once. Requires Web Locks and BroadcastChannel; without them, each tab works alone.
   * @default true
   */
  crossTab?: boolean
  /**
   * Whether the store calls its listeners, and so renders components, at most once a frame (16 ms) while only the progress
   * of tasks changes. A server may push faster than a page can render.
   * @default true
   */
  batchUpdates?: boolean
  /**
   * `'eager'`: the client follows every task to its end, including tasks of earlier visits and tasks that no component
   * watches. `'lazy'`: the client follows a task only while the `result` of a handle, `useToolCall` or `useToolCallState`
   * waits for it.
   * @default 'eager'
   */
  resume?: 'eager' | 'lazy'
  /**
   * Jobs for a server without tasks, made by `defineJob` of `taskwire/jobs`. A job combines a tool that starts work with a
   * tool that reports its status. The client follows a call of the start tool like a call that the server made a task.
   */
  jobs?: readonly Job[]
  /**
   * The `toolsHash` of the module that `npx taskwire types` writes. In development, the client lists the server's tools
   * once after it has connected, and warns if their types have changed since then. A production build sends no such
   * request.
   */
  toolsHash?: string
  /** Called with errors that do not end a call: failed polls, storage that throws, protocol violations. */
  onError?: (error: Error, context: TaskErrorContext) => void
  /** For tests: the time, network and storage of the page. */
  environment?: Partial<Environment>
}

/** The requests of the Tasks extension (SEP-2663), for an app that follows a task itself. */
export interface TaskRequests {
  /** Sends `tasks/get`. */
  get(taskId: string, options?: { signal?: AbortSignal }): Promise<DetailedTask>
  /** Sends `tasks/update`: responses to input requests, by their key. */
  update(taskId: string, inputResponses: Record<string, InputResponse>): Promise<void>
  /** Sends `tasks/cancel`. */
  cancel(taskId: string): Promise<void>
}

/**
 * Calls tools and follows the tasks that calls become, across reloads. Made by `createTaskClient`.
 *
 * @typeParam T The server's tools, if they are known: they type names, arguments and results.
 */
export interface TaskClient<T = AnyTools> extends WithTools<T> {
  /** The state as a `zustand` vanilla store: `{ connection, calls }`. */
  readonly store: StoreApi<TaskClientState>
  /** Names the server and the scope in query keys. Contains no secret. */
  readonly id: string
  /** The `url` that the client was made with; undefined with an SDK client. */
  readonly url?: string | URL | undefined
  /**
   * Connects, unless an earlier use has done so. After a failed sign-in it allows another one: call it when the user wants
   * to sign in again, or has signed in over your own transport.
   *
   * @throws {ConnectionFailedError} if the server cannot be reached; the message says what to do.
   */
  connect(): Promise<void>
  /**
   * Resumes the tasks that earlier visits left running, each once. With a filter it resumes only that call, which fails
   * with `ToolCallInterruptedError` if its response never came. With `resume: 'eager'`, the provider of each framework
   * resumes tasks on mount, and so does `connect()`. After `close()` it resolves to no calls.
   */
  resumeToolCalls(filter?: { callId?: string }): Promise<readonly ToolCall[]>
  /** The value of the option `jobs`. */
  readonly jobs?: readonly Job[] | undefined
  /** The value of the option `resume`. */
  readonly resume: 'eager' | 'lazy'
  /** Calls a tool and waits for its final result, whether or not the server makes it a task. */
  callTool<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: ToolCallOptions,
  ): Promise<ToolResult<T, Name>>
  /**
   * Calls a tool like `callTool`, and returns a handle on the call at once. If the call cannot be made, because the signal
   * has aborted or the client is closed, `result` rejects with the reason.
   */
  startToolCall<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: ToolCallOptions,
  ): ToolCall<ToolResult<T, Name>>
  /**
   * Follows a task by its id, for instance one that another device started. The client follows the task once, no matter how
   * often and from how many pages you call this. With a `key`, the task becomes the call with that key.
   *
   * @throws {TaskConfigurationError} for a `key` without the tool's name, or if another call with that key is running.
   */
  resumeTask(
    task: string | TaskReference,
    options?: Pick<ToolCallOptions, 'signal' | 'key' | 'meta' | 'keepResult'>,
  ): ToolCall
  /** Returns a handle on the call with this id, if there is one. */
  getToolCall(callId: string): ToolCall | undefined
  /**
   * Treats many calls as one, such as a batch: how many are running, have completed and have failed, and their combined
   * progress. A filter by `meta` finds the calls again after a reload.
   *
   * @example
   * ```ts
   * const batch = client.toolCalls({ filter: (call) => call.meta?.batch === 'trailer' })
   * batch.subscribe(({ progress }) => console.log(`${progress.progress} of ${progress.total}`))
   * ```
   */
  toolCalls(options?: ToolCallsFilter): ToolCallGroup
  /** Returns the state of the call with this id, as in `store`, without a snapshot of all calls. */
  getToolCallState(callId: string): ToolCallState | undefined
  /**
   * Calls the listener when the call with this id changes, appears or is forgotten. The cost does not depend on the number
   * of calls. Returns a function that unsubscribes.
   */
  subscribeToolCall(callId: string, listener: () => void): () => void
  /** Returns the id that a call with this tool and key has or would have. */
  toolCallId(name: ToolName<T>, key: string): string
  /** Sends single requests of the Tasks extension. The client does not poll, record or repeat anything for them. */
  readonly tasks: TaskRequests
  /** Calls a tool, and returns a task as it is. The client does not poll or record the task. */
  callToolRaw<Name extends ToolName<T>>(
    params: ToolCallParams<T, Name>,
    options?: { signal?: AbortSignal },
  ): Promise<{ type: 'result'; result: ToolResult<T, Name> } | { type: 'task'; task: Task }>
  /**
   * Calls the listener with every call that ends while this page is open, even if no component observes the call, for
   * instance to show a toast or a system notification. In several tabs, the listener of each tab is called. It is not called
   * for a call that had ended in an earlier visit, and whose outcome is fetched again. Returns a function that unsubscribes.
   */
  onToolCallSettled(listener: (call: SettledToolCall) => void): () => void
  /**
   * Calls the listener when calls were forgotten, in this tab or in another one: `isForgotten(callId)` is true for each of
   * these calls, and `isForgotten()` if every call was forgotten. Remove the copies of their results that your app keeps;
   * the hooks and queries of this package remove theirs. Returns a function that unsubscribes.
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
   * Calls the listener with every event, in order. Each poll has the reason for its time. Without a listener, observing
   * costs nothing. Events name tasks by a short hash only. With `wire: true`, the listener also gets every message that the
   * client sends or receives. Returns a function that unsubscribes.
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
   * Adds members to `_meta` of each `tools/call` that `callTool` and `startToolCall` send, such as a trace context. The
   * client calls `prepare` while the app starts a call, and the function that `prepare` returns when it sends the request.
   * It never calls that function if the call turns out to be one of an earlier visit or of another tab. The added members
   * are not recorded. Returns a function that removes `prepare`.
   *
   * @example
   * ```ts
   * client.addCallMeta(({ name }) => () => ({ 'com.example/tool': name }))
   * ```
   */
  addCallMeta(prepare: (call: StartedCall) => () => CallMeta): () => void
  /**
   * Removes a call from the store and from storage, or every call of a scope, by default this client's scope. Use it at
   * sign-out, for instance. It works in every tab. Hooks and queries no longer show the call, and do not call the tool
   * until they are mounted again or the user requests it. Tasks keep running on the server.
   *
   * @throws {TaskConfigurationError} for an empty filter, such as a `callId` that is undefined.
   */
  forget(filter?: ForgetFilter): Promise<void>
  listTools(): Promise<Tool[]>
  /**
   * Starts a sign-in with the `authProvider`. Call it in the handler of a click, before any `await`, while
   * `connection.status` is `unauthorized`, or to change the account. Resolves to `authorized` if a refresh token made the
   * sign-in unnecessary, else to `started`: the page is about to go to the authorization server, or a window is already
   * open. `connection.status` shows when the sign-in is over.
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
   * Completes a sign-in. Call it on the page that the authorization server redirects to: it checks the callback and
   * exchanges its code for tokens. Resolves to `authorized`, or, in a window that another tab has opened, to `handed-over`
   * once that tab has signed in. Tasks keep running. Afterwards, remove the code from the address of the page with
   * `history.replaceState()`.
   *
   * @throws {AuthorizationFailedError} if the sign-in failed. Its `reason` says why, and its message says what to do.
   *   Neither contains a code, a token or the URL.
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
   * Forgets the tokens of the `authProvider`, in every tab that shares them, and drops tokens that a refresh or sign-in
   * brings afterwards. Does nothing without an `authProvider`. Tasks keep running on the server; their records and results
   * stay until `forget()`.
   */
  signOut(): Promise<void>
  /**
   * Stops following every call, and closes the connection if this client opened it: an SDK client that the app connected
   * stays connected. It cancels no task, but aborts a `tools/call` that has no response yet. The store no longer has the
   * calls. Resolves when everything that the next page needs is in storage, after 5 s at the latest: `onError` is called
   * for writes that are not done by then.
   */
  close(): Promise<void>
}
