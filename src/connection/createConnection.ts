import type { Tool } from '@modelcontextprotocol/client'
import type { CallHooks, ToolCallRequest, ToolCallResponse } from '../call/taskPort.js'
import { ConnectionFailedError, TaskConfigurationError } from '../protocol/errors.js'
import { type CallLimitOptions, withCallLimit } from './callLimit.js'
import { checkAnswer } from './checkAnswer.js'
import type { Connection, ConnectionState } from './connection.js'
import { otherEraError } from './otherEra.js'
import { connectionError } from './requestErrors.js'
import type { ConnectedSdk, SdkAdapter } from './sdkAdapter.js'

export interface CreateConnectionOptions extends CallLimitOptions {
  readonly sdk: SdkAdapter
  /** For error messages. */
  readonly url: string | undefined
  readonly onState: (state: ConnectionState) => void
}

/** A connection over an SDK client: opened by the first use, and opened again where it was lost. */
export function createConnection(options: CreateConnectionOptions): Connection {
  const { sdk, url, onState } = options
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

  /** One attempt at a time; a failed one is forgotten, so that the next use tries again. */
  function connected(): Promise<ConnectedSdk> {
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
  }

  async function callTool(
    request: ToolCallRequest,
    { signal, beforeSend, ask }: Partial<CallHooks>,
  ): Promise<ToolCallResponse> {
    const connectedSdk = await connected()
    signal?.throwIfAborted()
    const optIn = await connectedSdk.tasks.optIn(request.name)
    signal?.throwIfAborted()
    await beforeSend?.()
    signal?.throwIfAborted()
    return withCallLimit(options, request.name, { ask, optIn }, signal, (limited, inTime) =>
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
      await connected()
    },
    callTool,
    completeCall: async (name, result) => {
      try {
        return await (await connected()).validate(name, result)
      } catch (error) {
        // The result came from another tab, and this one cannot connect to validate it: it is the result.
        if (error instanceof ConnectionFailedError) return result
        throw error
      }
    },
    callToolRaw: (request, signal) => callTool(request, signal ? { signal } : {}),
    getTask: async (taskId, signal, madeIn) => {
      const { tasks } = await connected()
      try {
        return await tasks.getTask(taskId, signal)
      } catch (error) {
        throw otherEraError(error, taskId, madeIn, era())
      }
    },
    updateTask: async (taskId, inputResponses, signal) =>
      (await connected()).tasks.updateTask(taskId, inputResponses, signal),
    cancelTask: async (taskId, signal) => (await connected()).tasks.cancelTask(taskId, signal),
    isRepeatable: async (name) => {
      try {
        const { annotations } = (await listTools()).find((tool) => tool.name === name) ?? {}
        return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
      } catch {
        // Whoever cannot be asked has not said so.
        return false
      }
    },
    release: (taskId) => open?.tasks.release(taskId),
    listen: async (taskIds, hooks) => (await connected()).tasks.listen(taskIds, hooks),
    missingCapability: sdk.missingCapability,
    checkAnswer,
    listTools,
    close: async () => {
      isClosed = true
      onState({ status: 'closed' })
      open?.tasks.close()
      await sdk.close()
    },
  }
}

function closedError(): TaskConfigurationError {
  return new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().')
}
