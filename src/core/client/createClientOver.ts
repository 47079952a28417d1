import { browserEnvironment } from '../environment/browserEnvironment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { hash } from '../record/hash.js'
import { forget } from '../run/forget.js'
import { type AnyArguments, toolCallId } from '../run/keys.js'
import { retrySoon } from '../run/page.js'
import { handleOf, resumeTask, startToolCall } from '../run/startOrResume.js'
import type { Connection } from '../wire/connection.js'
import type { WingedJob } from '../wire/jobs/job.js'
import { AMONG_PROCESSES, type HasProcesses } from './amongProcesses.js'
import { createCallMetas } from './callMeta.js'
import { type ClientBase, createCallsOf } from './callsOf.js'
import { checkCall, checkOptions } from './checkOptions.js'
import { checkParams, readCallOptions } from './checkParams.js'
import { createStore } from './createStore.js'
import { createListeners } from './listeners.js'
import { positive, readPollPolicy, readStorage } from './options.js'
import type { PartsOfClient } from './parts/parts.js'
import { createReports } from './reports.js'
import type { SetUp } from './setUp.js'
import type { ForgetFilter, TaskClient, TaskClientBaseOptions, TaskReference, ToolCallOptions } from './taskClient.js'
import { createToolCallGroup } from './toolCallGroup.js'
import { createToolsCheck, type ToolsCheck } from './toolsCheck.js'
import { type WhenUsed, whenUsed } from './whenUsed.js'

/** A frame at 60 Hz. */
const FRAME_MS = 16

/** A browser opens this many connections to one origin over HTTP/1.1. The push stream holds one of them. */
const CONNECTIONS = 6

/**
 * A client over the connection that `setUp` makes, of these parts. What it knows of the wire, it knows from there.
 *
 * A client that nobody has used yet is its options and an empty store. A backend has one for each of its users, of whom few
 * are at work, so the connection and what follows calls are made when they are needed:
 *
 * ```text
 * a client ── is asked for calls, and has none recorded ── lists tools ─────── starts a call
 *             reads the names of records                   makes a connection  makes what follows calls
 * ```
 *
 * @throws {TaskConfigurationError} if the options cannot work; the message says what to change.
 */
export function createClientOver(options: TaskClientBaseOptions, setUp: SetUp, parts: PartsOfClient): TaskClient {
  const environment = { ...browserEnvironment(), ...options?.environment }
  const reports = createReports(environment, (error, context) => options.onError?.(error, context))
  const { report, reporting, guard } = reports
  const target = setUp(environment, reporting('protocol'))
  inDevelopment?.(() => checkOptions(options))
  const { scope = '', batchUpdates, retry, jobs } = options
  const policy = readPollPolicy(options)
  const attempts = positive('retry.connectAttempts', retry?.connectAttempts, Number.POSITIVE_INFINITY)
  const most = options.push === false ? CONNECTIONS : CONNECTIONS - 1
  const store = createStore({
    environment,
    frameMs: batchUpdates === false ? 0 : FRAME_MS,
    onListenerError: reports.rethrowLater,
  })
  const base: ClientBase = {
    options,
    parts,
    environment,
    reports,
    target,
    policy,
    maxConcurrentPolls: positive('poll.maxConcurrent', options.poll?.maxConcurrent, most),
    stuckAfterPolls: positive('input.stuckAfterPolls', options.input?.stuckAfterPolls, 60),
    storage: options.storage === undefined ? parts.openStorage(environment) : readStorage(options.storage, environment),
    owner: { endpoint: target.endpoint ?? `page:${environment.randomId()}`, scope },
    store,
    tap: {},
    metas: createCallMetas(guard),
    settled: createListeners(guard),
    forgotten: createListeners(guard),
  }
  let checkTools: ToolsCheck | undefined
  inDevelopment?.(() => {
    checkTools = createToolsCheck(options.toolsHash)
  })
  const connect = () =>
    target.createConnection({
      callTimeoutMs: policy.callTimeoutMs,
      environment,
      randomId: environment.randomId,
      onState: (state) => {
        store.setConnection(state)
        if (state.error) report(state.error, { operation: 'connect' })
        checkTools?.(state, () => connection.get().listTools())
      },
      onIssue: reporting('protocol'),
      onError: reporting('connect'),
      tap: base.tap,
      jobs: jobs as readonly WingedJob[] | undefined,
      retry: { attempts, policy, environment },
    })
  const connection = whenUsed<Connection>(connect, (made) => made.close())
  // Jobs may contradict each other, and the app is to be told so now.
  if (jobs) connection.get()
  return clientOf(base, connection)
}

/** What the app gets. */
function clientOf(base: ClientBase, connection: WhenUsed<Connection>): TaskClient {
  const { options, parts, environment, target, owner, store, metas } = base
  const { resume = 'eager', results, jobs } = options
  const calls = createCallsOf(base, connection.get)
  const observing = whenUsed(
    () => parts.createObserving(base.tap, environment, base.reports),
    (made) => made.close(),
  )
  const signIn = target.createSigningIn((error) => {
    connection.get().signedIn(error)
    const run = calls.made()
    if (error === undefined && run) retrySoon(run)
  })

  const client: TaskClient & HasProcesses = {
    id: hash(JSON.stringify([owner.endpoint, owner.scope])),
    url: target.url,
    jobs,
    resume,
    store: store.api,
    connect: async () => {
      await connection.get().connectForApp()
      if (resume === 'eager') await calls.resume()
    },
    resumeToolCalls: calls.resume,
    callTool: async (params, callOptions) => client.startToolCall(params, callOptions).result,
    startToolCall(params, callOptions: ToolCallOptions & AnyArguments = {}) {
      inDevelopment?.(() => checkCall(params, callOptions))
      return startToolCall(calls.get(), checkParams(params), readCallOptions(callOptions, results))
    },
    resumeTask: (task, callOptions = {}) =>
      resumeTask(calls.get(), checkReference(task), readCallOptions(callOptions, results)),
    getToolCall: (callId) => {
      const run = calls.made()
      return run && handleOf(run, callId)
    },
    toolCalls: (filter) => createToolCallGroup(client, filter),
    getToolCallState: store.getCall,
    subscribeToolCall: store.subscribeCall,
    toolCallId: (name, key) => toolCallId(owner, name, key),
    tasks: {
      get: (taskId, { signal } = {}) => connection.get().getTask(taskId, signal),
      update: (taskId, inputResponses) => connection.get().updateTask(taskId, inputResponses),
      cancel: (taskId) => connection.get().cancelTask(taskId),
    },
    callToolRaw: async (params, { signal } = {}) => connection.get().callToolRaw(checkParams(params), signal),
    onToolCallSettled: base.settled.add,
    onForgotten: base.forgotten.add,
    observe: (listener, how) => observing.get().observe(listener, how),
    addCallMeta: metas.add,
    forget: async (filter) => {
      const { callId, scope } = checkForgetFilter(filter)
      await forget(calls.get(), callId, scope)
    },
    [AMONG_PROCESSES]: { channel: calls.channel, run: calls.made },
    listTools: () => connection.get().listTools(),
    ...signIn,
    close: async () => {
      await Promise.all([calls.close(), connection.close()])
      if (connection.made() === undefined) store.setConnection({ status: 'closed' })
      observing.close()
    },
  }
  return client
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
