import { browserEnvironment } from '../environment/browserEnvironment.js'
import type { Environment } from '../environment/environment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { asError } from '../protocol/asError.js'
import { TaskConfigurationError, type TaskStorageError } from '../protocol/errors.js'
import { READ_MORE } from '../protocol/readMore.js'
import type { OnProtocolIssue } from '../protocol/task.js'
import { hash } from '../record/hash.js'
import type { CallRules } from '../record/learn.js'
import type { RecordOwner } from '../record/record.js'
import type { SettledToolCall } from '../record/toolCallState.js'
import { type Calls, createCalls } from '../run/calls.js'
import { handlerOf } from '../run/inputs.js'
import type { AnyArguments } from '../run/keys.js'
import { toolCallId } from '../run/keys.js'
import { NO_PUSH } from '../run/push.js'
import type { CallTap } from '../run/tap.js'
import { memoryStorage } from '../storage/memoryStorage.js'
import { createRecordStore, type RecordStore, scopePrefix } from '../storage/recordStore.js'
import type { TaskStorage } from '../storage/taskStorage.js'
import { NO_TABS } from '../tabs/tabs.js'
import type { PollPolicy } from '../time/policy.js'
import type { Connection } from '../wire/connection.js'
import type { WingedJob } from '../wire/jobs/job.js'
import type { WireTap } from '../wire/wireTap.js'
import { type CallMetas, createCallMetas } from './callMeta.js'
import { checkCall, checkOptions } from './checkOptions.js'
import { checkParams, readCallOptions } from './checkParams.js'
import { createStore, type TaskClientStore } from './createStore.js'
import { inTime } from './inTime.js'
import { createListeners, type Listeners } from './listeners.js'
import type { Observing } from './observe/createObserving.js'
import { positive, readPollPolicy, readStorage } from './options.js'
import type { PartsOfClient } from './parts/parts.js'
import { createReports } from './reports.js'
import type { SetUp, SigningIn } from './setUp.js'
import type { ForgetFilter, TaskClient, TaskClientBaseOptions, TaskReference, ToolCallOptions } from './taskClient.js'
import { createToolCallGroup } from './toolCallGroup.js'
import { createToolsCheck, type ToolsCheck } from './toolsCheck.js'

/** A frame at 60 Hz. */
const FRAME_MS = 16

/** A browser opens this many connections to one origin over HTTP/1.1. The push stream holds one of them. */
const CONNECTIONS = 6

/**
 * A client over the connection that `setUp` makes, of these parts. What it knows of the wire, it knows from there.
 *
 * @throws {TaskConfigurationError} if the options cannot work; the message says what to change.
 */
export function createClientOver(options: TaskClientBaseOptions, setUp: SetUp, parts: PartsOfClient): TaskClient {
  const environment = { ...browserEnvironment(), ...options?.environment }
  const { report, guard, rethrowLater } = createReports(environment, (error, context) =>
    options.onError?.(error, context),
  )
  const onIssue: OnProtocolIssue = (error) => report(error, { operation: 'protocol' })
  const target = setUp(environment, onIssue)
  inDevelopment?.(() => checkOptions(options))
  const { scope = '', resume = 'eager' } = options
  const policy = readPollPolicy(options)
  const storage = readStorage(options.storage, environment)
  const isNamed = target.endpoint !== undefined
  const endpoint = target.endpoint ?? `page:${environment.randomId()}`

  let isUnnamedKnown = isNamed || options.storage === 'memory'
  function reportUnnamed(): void {
    if (isUnnamedKnown) return
    isUnnamedKnown = true
    report(unnamedError(), { operation: 'storage' })
  }

  const settled = createListeners<[SettledToolCall]>(guard)
  const forgotten = createListeners<[(callId?: string) => boolean]>(guard)
  const frameMs = options.batchUpdates === false ? 0 : FRAME_MS
  const store = createStore({ environment, frameMs, onListenerError: rethrowLater })
  let checkTools: ToolsCheck | undefined
  inDevelopment?.(() => {
    checkTools = createToolsCheck(options.toolsHash)
  })
  const tap: CallTap & WireTap = {}
  const connection: Connection = target.createConnection({
    callTimeoutMs: policy.callTimeoutMs,
    environment,
    randomId: environment.randomId,
    onState: (state) => {
      store.setConnection(state)
      if (state.error) report(state.error, { operation: 'connect' })
      checkTools?.(state, connection.listTools)
    },
    onIssue,
    onError: (error) => report(error, { operation: 'connect' }),
    tap,
    jobs: options.jobs as readonly WingedJob[] | undefined,
    retry: {
      attempts: positive('retry.connectAttempts', options.retry?.connectAttempts, Number.POSITIVE_INFINITY),
      policy,
      environment,
    },
  })
  const owner = { endpoint, scope }
  const records = recordsOf(options, isNamed ? storage : memoryStorage(), owner, environment, (error) =>
    report(error, { operation: 'storage' }),
  )
  const { locks, channel: openChannel } = environment
  const nameOf = (other: string) => `taskwire:${hash(JSON.stringify([endpoint, other]))}`
  const tabs =
    !isNamed || options.crossTab === false || locks === undefined || openChannel === undefined
      ? { ...NO_TABS, open: reportUnnamed }
      : parts.createTabs({
          scope,
          nameOf,
          environment,
          locks,
          openChannel,
          onLocksRefused: (error) => report(asError(error), { operation: 'storage' }),
          leaderPer: resume === 'eager' ? 'scope' : 'task',
          onMessage: (message) => message.type !== 'leader' && calls.receive(message),
          onPeer: () => calls.onPeer(),
          onLeaderChange: (election, isStolen) => calls.onLeaderChange(election, isStolen),
        })
  const { input, push = true, poll } = options
  const observing = parts.createObserving(tap, environment, guard)
  const metas = createCallMetas(guard)
  const calls: Calls = createCalls({
    ...parts,
    ...(!push && { createPush: () => NO_PUSH }),
    port: connection,
    environment,
    rules: rulesOf(input, policy, connection),
    handlers: input?.handlers ?? {},
    records,
    owner,
    store,
    tabs,
    maxConcurrentPolls: positive('poll.maxConcurrent', poll?.maxConcurrent, push ? CONNECTIONS - 1 : CONNECTIONS),
    followsUnobserved: resume === 'eager',
    onError: (error, callId, operation) => report(asError(error), { callId, operation }),
    tap,
    prepareMeta: metas.prepare,
    onForgotten: (callId) =>
      forgotten.notify((id) => (callId === undefined || id === callId) && (!id || store.getCall(id) === undefined)),
    onSettled: settled.notify,
  })

  const id = hash(JSON.stringify([endpoint, scope]))
  const signingIn = target.createSigningIn((error) => {
    connection.signedIn(error)
    if (error === undefined) calls.pollSoon()
  })
  const known = { id, url: target.url, jobs: options.jobs, results: options.results, resume }
  return clientOf({ ...known, owner, store, calls, connection, observing, metas, signingIn, settled, forgotten })
}

/** The records of the calls, with the results that are kept beside them. */
function recordsOf(
  { results }: TaskClientBaseOptions,
  storage: TaskStorage,
  owner: RecordOwner,
  environment: Environment,
  onError: (error: TaskStorageError) => void,
): RecordStore {
  const { now, setTimeout } = environment
  const records = createRecordStore({
    storage,
    ...owner,
    now,
    pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
    inTime: (pending) => inTime(pending, environment),
    onError,
  })
  const prefixOf = (scope = owner.scope) => scopePrefix(owner.endpoint, scope)
  return results ? results({ records, prefixOf, now, onError }) : records
}

function rulesOf(
  { handlers = {}, missing = 'wait', stuckAfterPolls }: NonNullable<TaskClientBaseOptions['input']> = {},
  policy: PollPolicy,
  { missingCapability }: Connection,
): CallRules {
  return {
    policy,
    missingInput: missing,
    stuckAfterPolls: positive('input.stuckAfterPolls', stuckAfterPolls, 60),
    isHandled: (request) => handlerOf(handlers, request) !== undefined,
    missingCapability,
  }
}

interface ClientParts extends Pick<TaskClient, 'id' | 'url' | 'jobs' | 'resume'> {
  readonly results: TaskClientBaseOptions['results']
  readonly owner: RecordOwner
  readonly store: TaskClientStore
  readonly calls: Calls
  readonly connection: Connection
  readonly observing: Observing
  readonly metas: CallMetas
  readonly signingIn: SigningIn
  readonly settled: Listeners<[SettledToolCall]>
  readonly forgotten: Listeners<[(callId?: string) => boolean]>
}

/** What the app gets. */
function clientOf({
  owner,
  results,
  store,
  calls,
  connection,
  observing,
  metas,
  signingIn,
  settled,
  forgotten,
  ...known
}: ClientParts): TaskClient {
  const client: TaskClient = {
    ...known,
    store: store.api,
    connect: async () => {
      await connection.connectForApp()
      if (known.resume === 'eager') await calls.resumeToolCalls()
    },
    resumeToolCalls: calls.resumeToolCalls,
    callTool: async (params, callOptions) => client.startToolCall(params, callOptions).result,
    startToolCall(params, callOptions: ToolCallOptions & AnyArguments = {}) {
      inDevelopment?.(() => checkCall(params, callOptions))
      return calls.start(checkParams(params), readCallOptions(callOptions, results))
    },
    resumeTask: (task, callOptions = {}) =>
      calls.resumeTask(checkReference(task), readCallOptions(callOptions, results)),
    getToolCall: calls.get,
    toolCalls: (filter) => createToolCallGroup(client, filter),
    getToolCallState: store.getCall,
    subscribeToolCall: store.subscribeCall,
    toolCallId: (name, key) => toolCallId(owner, name, key),
    tasks: {
      get: (taskId, { signal } = {}) => connection.getTask(taskId, signal),
      update: (taskId, inputResponses) => connection.updateTask(taskId, inputResponses),
      cancel: (taskId) => connection.cancelTask(taskId),
    },
    callToolRaw: async (params, { signal } = {}) => connection.callToolRaw(checkParams(params), signal),
    onToolCallSettled: settled.add,
    onForgotten: forgotten.add,
    observe: observing.observe,
    addCallMeta: metas.add,
    forget: async (filter) => {
      const { callId, scope } = checkForgetFilter(filter)
      await (callId === undefined ? calls.forgetAll(scope) : calls.forget(callId))
    },
    listTools: connection.listTools,
    ...signingIn,
    close: async () => {
      await Promise.all([calls.close(), connection.close()])
      observing.close()
    },
  }
  return client
}

/** Two SDK clients without an endpoint may be those of two servers, and a task id is for one of them only. */
function unnamedError(): TaskConfigurationError {
  return new TaskConfigurationError(
    'Without an endpoint, calls over an SDK client do not outlive the page and are not shared between tabs. ' +
      (inDevelopment
        ? "Name the server: createTaskClient({ client, endpoint: 'https://example.com/mcp' })."
        : READ_MORE),
  )
}

/** Without a call, everything of a scope goes: a filter that is mistaken must not be taken for none. */
function checkForgetFilter(filter: ForgetFilter = {}): ForgetFilter {
  if (typeof filter === 'object' && filter !== null) {
    const { callId, scope, ...unknown } = filter
    const isCall = typeof callId === 'string' && callId !== '' && scope === undefined
    const isScope = !('callId' in filter) && (scope === undefined || typeof scope === 'string')
    if ((isCall || isScope) && Object.keys(unknown).length === 0) return filter
  }
  throw new TaskConfigurationError(
    'forget() takes { callId }, { scope }, or nothing for every call of the scope of this client.',
  )
}

function checkReference(task: string | TaskReference): TaskReference {
  const reference = typeof task === 'string' ? { taskId: task } : task
  if (typeof reference?.taskId !== 'string' || reference.taskId === '')
    throw new TaskConfigurationError('resumeTask needs a task id.')
  return reference
}
