import { ConnectionFailedError } from '../protocol/errors.js'
import { isJob } from '../protocol/taskAddress.js'
import type { CallHooks, ToolCallRequest, ToolCallResponse } from '../protocol/taskPort.js'
import type { Tool } from '../protocol/tool.js'
import { aborted } from '../time/abort.js'
import { type CallLimitOptions, withCallLimit } from './callLimit.js'
import type { Connection } from './connection.js'
import { eraChangedError } from './eraChanged.js'
import { connectionError, unsentPoll } from './errors.js'
import { createExplanation, type ExplanationOptions } from './explanation.js'
import { foreignJobError, refusedJobError } from './jobs/foreignJob.js'
import type { JobsOption } from './jobs/job.js'
import { type ConnectRetry, createOpening, inTime, type OpeningOptions } from './opening.js'
import type { ConnectedSdk } from './sdkAdapter.js'
import { createShownState } from './shownState.js'
import type { SignIn } from './signInByTransport.js'
import { credentialsError, isSignInFailure, needsCredentials } from './signInErrors.js'

/** How long the outcome of a task waits for a connection, in ms: another tab, which has received it, has validated it. */
const VALIDATION_LIMIT_MS = 1000

export interface CreateConnectionOptions extends CallLimitOptions, OpeningOptions, ExplanationOptions, JobsOption {
  readonly signIn: SignIn
}

/** A connection over an SDK client: opened by the first use, and opened again where it was lost. */
export function createConnection(options: CreateConnectionOptions): Connection {
  const { url, jobs, signIn } = options
  const sdk = jobs?.[0]?.withJobs(options.sdk, jobs) ?? options.sdk
  const shown = createShownState(options.onState, () => current())
  const { watched, accepted, refused } = shown
  const { connected, connectedForApp, current, close } = createOpening({ ...options, sdk, onState: shown.show })
  const explain = createExplanation(options)

  async function callTool(
    request: ToolCallRequest,
    { signal, beforeSend, ask, onProgress }: Partial<CallHooks>,
  ): Promise<ToolCallResponse> {
    const connectedSdk = await connectedForApp(signal)
    signal?.throwIfAborted()
    const optIn = await connectedSdk.tasks.optIn?.(request.name, onProgress).catch((cause: unknown) => {
      throw connectionError(cause, url, options.retry?.environment.baseUrl())
    })
    let idempotencyKey: string | undefined
    try {
      signal?.throwIfAborted()
      idempotencyKey = await beforeSend?.(connectedSdk.tasks.keyTtlMs)
      signal?.throwIfAborted()
      return await withCallLimit(options, request.name, { ask, optIn, idempotencyKey }, signal, (limited, inTime) =>
        connectedSdk.callTool(request, limited, inTime),
      )
    } catch (error) {
      const told = await explain(error, request.name, idempotencyKey, connectedSdk, signal)
      // The server has answered something else.
      if (told !== error) accepted()
      throw told
    } finally {
      optIn?.end()
    }
  }

  const era = () => sdk.era() ?? 'modern'
  let listing: Promise<Tool[]> | undefined

  /** Sends what the app has not asked for. */
  const overConnection = <T>(request: (server: ConnectedSdk) => Promise<T>): Promise<T> =>
    signIn.send(async () => request(await connected()))

  /** True for a job that another page of the app has started, of which this one has no definition. */
  const isForeign = (taskId: string) => sdk === options.sdk && isJob(taskId)
  const forTask = (taskId: string, request: (server: ConnectedSdk) => Promise<void>): Promise<void> =>
    isForeign(taskId) ? Promise.reject(refusedJobError(taskId)) : watched(overConnection(request))

  async function connect(): Promise<void> {
    try {
      await signIn.send(connected)
    } catch (error) {
      throw needsCredentials(error) ? credentialsError(error) : (unsentPoll(error) ?? error)
    }
  }

  return {
    era,
    connect: () => (current()?.isLost() === false && !signIn.isHeld() ? undefined : connect()),
    connectForApp: async () => {
      signIn.allow()
      await signIn.sendForApp(connectedForApp)
    },
    ...{ holdSignIn: signIn.hold, heardElsewhere: shown.heardElsewhere },
    callTool: (request, hooks) => watched(signIn.sendForApp(() => callTool(request, hooks))),
    completeCall: async (name, result) => {
      try {
        const open = current()
        const validating = open?.isLost() === false ? open : await soon(signIn.send(connected), options.retry)
        return validating ? await validating.validate(name, result) : result
      } catch (error) {
        // The result came from another tab, and this one cannot connect to validate it: it is the result.
        if (error instanceof ConnectionFailedError || isSignInFailure(error)) return result
        throw error
      }
    },
    callToolRaw: (request, signal) => watched(signIn.sendForApp(() => callTool(request, signal ? { signal } : {}))),
    getTask: (taskId, signal, known) =>
      watched(
        signIn.send(async () => {
          if (isForeign(taskId)) throw foreignJobError(taskId)
          const { tasks } = await connected()
          try {
            return await tasks.getTask(taskId, signal, known?.inputRequests)
          } catch (error) {
            throw eraChangedError(error, taskId, known?.era, era())
          }
        }),
      ),
    updateTask: (taskId, inputResponses, signal) =>
      forTask(taskId, ({ tasks }) => tasks.updateTask(taskId, inputResponses, signal)),
    cancelTask: (taskId, signal) => forTask(taskId, ({ tasks }) => tasks.cancelTask(taskId, signal)),
    isRepeatable: async (name, signal) => {
      try {
        if (signal) await signIn.sendForApp(() => connectedForApp(signal))
        // Many calls may be found at once, and one list says it of all of them.
        listing ??= overConnection(({ listTools }) => inTime(options.retry, () => listTools())).finally(() => {
          listing = undefined
        })
        const { annotations } = (await listing).find((tool) => tool.name === name) ?? {}
        return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
      } catch {
        // A server that cannot be asked has not said so.
        return false
      }
    },
    release: (taskId) => current()?.tasks.release(taskId),
    listen: async (taskIds, hooks) => {
      const own = taskIds.filter((taskId) => !isJob(taskId))
      // Jobs have no push. That is no refusal: a task may come.
      return own.length === 0 ? aborted(hooks.signal) : overConnection(({ tasks }) => tasks.listen(own, hooks))
    },
    missingCapability: sdk.missingCapability,
    listTools: () => watched(signIn.sendForApp(async () => (await connectedForApp()).listTools())),
    signedIn: (error) => {
      if (error !== undefined) {
        // Who wanted another account is signed in all the same.
        if (shown.state().status !== 'connected') refused(error)
        return
      }
      signIn.allow()
      accepted()
      if (current() === undefined) connectedForApp().catch(() => {})
    },
    close,
  }
}

/** The connection, or undefined where it takes longer than the outcome of a task can wait. */
async function soon(
  pending: Promise<ConnectedSdk>,
  retry: ConnectRetry | undefined,
): Promise<ConnectedSdk | undefined> {
  if (retry === undefined) return pending
  const { setTimeout, clearTimeout } = retry.environment
  let timer: unknown
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), VALIDATION_LIMIT_MS)
  })
  return await Promise.race([pending, late]).finally(() => clearTimeout(timer))
}
