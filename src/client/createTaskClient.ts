import { createPushFeed, NO_PUSH_FEED } from '../engine/pushFeed.js'
import { shareTasks } from '../engine/sharedTasks.js'
import type { ToolCallState } from '../engine/toolCallState.js'
import { browserEnvironment } from '../environment/browserEnvironment.js'
import { asError } from '../protocol/asError.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import type { OnProtocolIssue } from '../protocol/task.js'
import { hash } from '../storage/hash.js'
import { createRecordStore } from '../storage/recordStore.js'
import { ALONE_IN_BROWSER, createTabs } from '../tabs/createTabs.js'
import { toolCallId } from './callIds.js'
import { type CallRegistry, createCallRegistry } from './callRegistry.js'
import { legacyOptions, pollPolicy, setUpSdk, taskStorage } from './clientConfig.js'
import { createStore } from './createStore.js'
import { checkOptions, positive } from './optionChecks.js'
import type { TaskClient, TaskClientOptions, TaskErrorContext, ToolCallParams } from './taskClient.js'

/** As many connections as a browser opens to one origin over HTTP/1.1. */
const DEFAULT_CONCURRENT_POLLS = 6

/**
 * Creates a client that calls tools and follows what becomes a task, across reloads. Creating it does
 * nothing yet: the first use connects, reads storage and listens to the page.
 *
 * @throws {TaskConfigurationError} where the options cannot work; the message says what to change.
 *
 * @example
 * ```ts
 * const client = createTaskClient({ url: 'https://example.com/mcp' })
 * const result = await client.callTool({ name: 'generate_report', arguments: { seconds: 30 } }, { key: 'weekly' })
 * ```
 */
export function createTaskClient(options: TaskClientOptions): TaskClient {
  const environment = { ...browserEnvironment(), ...options?.environment }
  const onIssue: OnProtocolIssue = (error) => report(error, { operation: 'protocol' })
  const sdk = setUpSdk(options, environment, onIssue)
  checkOptions(options)
  const { scope = '', resume = 'eager' } = options
  const policy = pollPolicy(options)

  function report(error: Error, context: TaskErrorContext): void {
    guard(() => options.onError?.(error, context))
  }
  function guard(call: () => void): void {
    try {
      call()
    } catch (thrown) {
      rethrowLater(thrown)
    }
  }
  /** The app's own error surfaces as an uncaught one, without taking the client with it. */
  function rethrowLater(error: unknown): void {
    environment.setTimeout(() => {
      throw error
    }, 0)
  }

  const settledListeners = new Set<(call: ToolCallState) => void>()
  const store = createStore(rethrowLater)
  const connection = sdk.createConnection({
    maxConcurrentPolls: positive('poll.maxConcurrent', options.poll?.maxConcurrent, DEFAULT_CONCURRENT_POLLS),
    randomId: environment.randomId,
    onState: (state) => {
      store.setConnection(state)
      if (state.error) report(state.error, { operation: 'connect' })
    },
    onIssue,
    legacy: legacyOptions(options, policy, environment),
  })
  const records = createRecordStore({
    storage: taskStorage(options.storage, environment),
    endpoint: sdk.endpoint,
    scope,
    now: environment.now,
    pause: () => new Promise((resolve) => environment.setTimeout(resolve, 0)),
    onError: (error) => report(error, { operation: 'storage' }),
  })
  const { locks, channel: openChannel } = environment
  const nameOf = (other: string) => `taskwire:${hash(JSON.stringify([sdk.endpoint, other]))}`
  const tabs = shareTasks(
    options.crossTab === false || locks === undefined || openChannel === undefined
      ? ALONE_IN_BROWSER
      : createTabs({
          scope,
          nameOf,
          environment,
          locks,
          openChannel,
          onLocksRefused: (error) => report(asError(error), { operation: 'storage' }),
          leaderPer: resume === 'eager' ? 'scope' : 'task',
          onCallMessage: (callId, message) => calls.receive(callId, message),
          onForgotten: (callId, at) => calls.receiveForgotten(callId, at),
        }),
  )
  const calls: CallRegistry = createCallRegistry({
    port: connection,
    environment,
    policy,
    records,
    store,
    tabs,
    push: options.push === false ? NO_PUSH_FEED : createPushFeed({ port: connection, environment, policy }),
    endpoint: sdk.endpoint,
    scope,
    followUnwatched: resume === 'eager',
    inputHandlers: options.inputHandlers ?? {},
    missingInput: options.missingInput ?? 'wait',
    stuckAfterPolls: positive('stuckAfterPolls', options.stuckAfterPolls, 60),
    onError: (error, context) => report(asError(error), context),
    onSettled: (call) => {
      for (const listener of [...settledListeners]) guard(() => listener(call))
    },
  })

  const client: TaskClient = {
    store: store.api,
    id: hash(JSON.stringify([sdk.endpoint, scope])),
    resume,
    connect: async () => {
      await connection.connectForApp()
      if (resume === 'eager') await calls.resumeTasks()
    },
    resumeTasks: calls.resumeTasks,
    callTool: async (params, callOptions) => client.startToolCall(params, callOptions).result,
    startToolCall: (params, callOptions = {}) => calls.start(checkParams(params), callOptions),
    resumeTask: (task, callOptions = {}) => {
      const reference = typeof task === 'string' ? { taskId: task } : task
      if (typeof reference?.taskId !== 'string' || reference.taskId === '')
        throw new TaskConfigurationError('resumeTask needs a task id.')
      return calls.resumeTask(reference, callOptions)
    },
    getToolCall: calls.get,
    toolCallId,
    getTask: (taskId, { signal } = {}) => connection.getTask(taskId, signal),
    updateTask: (taskId, inputResponses) => connection.updateTask(taskId, inputResponses),
    cancelTask: (taskId) => connection.cancelTask(taskId),
    callToolRaw: async (params, { signal } = {}) => connection.callToolRaw(checkParams(params), signal),
    onTaskSettled: (listener) => {
      settledListeners.add(listener)
      return () => {
        settledListeners.delete(listener)
      }
    },
    forget: calls.forget,
    forgetAll: ({ scope: other } = {}) => calls.forgetAll(other),
    listTools: connection.listTools,
    close: async () => {
      await Promise.all([calls.stop(), connection.close()])
    },
  }
  return client
}

function checkParams(params: ToolCallParams): ToolCallParams {
  if (typeof params?.name !== 'string' || params.name === '') {
    throw new TaskConfigurationError(
      "A tool call needs a tool: pass { name: 'my_tool' }. listTools() tells which there are.",
    )
  }
  const { arguments: args } = params
  if (args !== undefined && (typeof args !== 'object' || args === null || Array.isArray(args))) {
    throw new TaskConfigurationError(`The arguments of "${params.name}" must be an object.`)
  }
  return params
}
