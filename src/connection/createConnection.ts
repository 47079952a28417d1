import type { Tool } from '@modelcontextprotocol/client'
import type { CallHooks, ToolCallRequest, ToolCallResponse } from '../call/taskPort.js'
import { ConnectionFailedError, TaskConfigurationError } from '../protocol/errors.js'
import { type CallLimitOptions, withCallLimit } from './callLimit.js'
import type { Connection, ConnectionState } from './connection.js'
import { connectionError, credentialsError, eraChangedError, isSignInFailure, needsCredentials } from './errors.js'
import type { ConnectedSdk, SdkAdapter } from './sdkAdapter.js'
import { type SignIn, signInByTransport } from './signIn.js'
import { validateInputResponse } from './validateInputResponse.js'

export interface CreateConnectionOptions extends CallLimitOptions {
  readonly sdk: SdkAdapter
  /** For error messages. */
  readonly url: string | undefined
  readonly onState: (state: ConnectionState) => void
  readonly signIn?: SignIn | undefined
}

interface Opening {
  /** The connection that there is, or a new one. */
  connected(): Promise<ConnectedSdk>
  /** The connection that there is. */
  current(): ConnectedSdk | undefined
  close(): Promise<void>
}

/** Opens a connection at the first use, and again where it was lost. */
function createOpening({ sdk, url, onState }: CreateConnectionOptions): Opening {
  let connecting: Promise<ConnectedSdk> | undefined
  let open: ConnectedSdk | undefined
  let isClosed = false

  async function connect(): Promise<ConnectedSdk> {
    const connected = await sdk.open(() => onState({ status: 'connecting' }))
    if (isClosed) {
      connected.tasks.close()
      await sdk.close()
      throw closedError()
    }
    open = connected
    onState(connected.state)
    return connected
  }

  return {
    // One attempt at a time; a failed one is forgotten, so that the next use tries again.
    connected: () => {
      if (isClosed) return Promise.reject(closedError())
      if (connecting !== undefined && open?.isLost() !== true) return connecting
      open?.tasks.close()
      open = undefined
      connecting = connect().catch((cause: unknown) => {
        connecting = undefined
        if (isClosed) throw closedError()
        const error = connectionError(cause, url)
        onState({ status: 'failed', error })
        throw error
      })
      return connecting
    },
    current: () => open,
    close: async () => {
      isClosed = true
      onState({ status: 'closed' })
      open?.tasks.close()
      await sdk.close()
    },
  }
}

/** A connection over an SDK client: opened by the first use, and opened again where it was lost. */
export function createConnection(options: CreateConnectionOptions): Connection {
  const { sdk, url, signIn = signInByTransport() } = options
  const { connected, current, close } = createOpening(options)

  async function callTool(
    request: ToolCallRequest,
    { signal, beforeSend, ask }: Partial<CallHooks>,
  ): Promise<ToolCallResponse> {
    const connectedSdk = await connected()
    signal?.throwIfAborted()
    const optIn = await connectedSdk.tasks.optIn(request.name).catch((cause: unknown) => {
      throw connectionError(cause, url)
    })
    signal?.throwIfAborted()
    const idempotencyKey = await beforeSend?.(connectedSdk.tasks.keyTtlMs)
    signal?.throwIfAborted()
    return withCallLimit(options, request.name, { ask, optIn, idempotencyKey }, signal, (limited, inTime) =>
      connectedSdk.callTool(request, limited, inTime),
    )
  }

  async function listTools(): Promise<Tool[]> {
    return (await connected()).listTools()
  }

  const era = () => sdk.era ?? 'modern'

  return {
    get era() {
      return era()
    },
    connect: async () => {
      try {
        await signIn.send(connected)
      } catch (error) {
        throw needsCredentials(error) ? credentialsError(error) : error
      }
    },
    connectForApp: async () => {
      signIn.allow()
      await signIn.sendForApp(connected)
    },
    holdSignIn: signIn.hold,
    callTool: (request, hooks) => signIn.sendForApp(() => callTool(request, hooks)),
    completeCall: async (name, result) => {
      try {
        return await (await signIn.send(connected)).validate(name, result)
      } catch (error) {
        // The result came from another tab, and this one cannot connect to validate it: it is the result.
        if (error instanceof ConnectionFailedError || isSignInFailure(error)) return result
        throw error
      }
    },
    callToolRaw: (request, signal) => signIn.sendForApp(() => callTool(request, signal ? { signal } : {})),
    getTask: (taskId, signal, taskEra) =>
      signIn.send(async () => {
        const { tasks } = await connected()
        try {
          return await tasks.getTask(taskId, signal)
        } catch (error) {
          throw eraChangedError(error, taskId, taskEra, era())
        }
      }),
    updateTask: (taskId, inputResponses, signal) =>
      signIn.send(async () => (await connected()).tasks.updateTask(taskId, inputResponses, signal)),
    cancelTask: (taskId, signal) => signIn.send(async () => (await connected()).tasks.cancelTask(taskId, signal)),
    isRepeatable: async (name) => {
      try {
        const { annotations } = (await signIn.send(listTools)).find((tool) => tool.name === name) ?? {}
        return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
      } catch {
        // A server that cannot be asked has not said so.
        return false
      }
    },
    release: (taskId) => current()?.tasks.release(taskId),
    listen: (taskIds, hooks) => signIn.send(async () => (await connected()).tasks.listen(taskIds, hooks)),
    missingCapability: sdk.missingCapability,
    validateInputResponse: validateInputResponse,
    listTools: () => signIn.sendForApp(listTools),
    close,
  }
}

function closedError(): TaskConfigurationError {
  return new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().')
}
