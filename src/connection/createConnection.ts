import type { Tool } from '@modelcontextprotocol/client'
import type { CallHooks, ToolCallRequest } from '../engine/taskPort.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { ConnectionFailedError, TaskConfigurationError, TaskError } from '../protocol/errors.js'
import type { Task } from '../protocol/task.js'
import { checkAnswer } from './checkAnswer.js'
import type { Connection, ConnectionState } from './connection.js'
import { limitConcurrency } from './limitConcurrency.js'
import { otherEraError } from './otherEra.js'
import { connectionError } from './requestErrors.js'
import type { ConnectedSdk, SdkAdapter, SdkCall } from './sdkAdapter.js'

export interface CreateConnectionOptions {
  readonly sdk: SdkAdapter
  /** For error messages. */
  readonly url: string | undefined
  readonly maxConcurrentPolls: number
  readonly onState: (state: ConnectionState) => void
}

/** A connection over an SDK client: opened by the first use, and opened again where it was lost. */
export function createConnection({ sdk, url, maxConcurrentPolls, onState }: CreateConnectionOptions): Connection {
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

  async function call(
    request: ToolCallRequest,
    call: SdkCall,
    { signal, beforeSend }: Partial<CallHooks> = {},
  ): Promise<CallToolResult> {
    const { tasks, callTool } = await connected()
    signal?.throwIfAborted()
    if (call.result !== undefined) return callTool(request, call, signal)
    const optIn = await tasks.optIn(request.name).catch((cause: unknown) => {
      throw connectionError(cause, url)
    })
    signal?.throwIfAborted()
    await beforeSend?.()
    signal?.throwIfAborted()
    return callTool(request, { ...call, optIn }, signal)
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
    callTool: (request, hooks) => call(request, { hold: hooks.hold, ask: hooks.ask }, hooks),
    completeCall: async (name, result) => {
      try {
        return await call({ name }, { hold: () => Promise.resolve(result), result })
      } catch (error) {
        // Another tab has brought the result. Offline, this one has no SDK client to check it by; it is the result.
        if (error instanceof ConnectionFailedError) return result
        throw error
      }
    },
    callToolRaw: async (request, signal) => {
      let created: Task | undefined
      const handOver = new TaskError('Handed over as a task.')
      const hold = (task: Task) => {
        created = task
        return Promise.reject(handOver)
      }
      try {
        return { type: 'result', result: await call(request, { hold }, signal && { signal }) }
      } catch (error) {
        if (error === handOver && created !== undefined) return { type: 'task', task: created }
        throw error
      }
    },
    getTask: limitConcurrency(async (taskId: string, signal?: AbortSignal, madeIn?: 'modern' | 'legacy') => {
      const { tasks } = await connected()
      try {
        return await tasks.getTask(taskId, signal)
      } catch (error) {
        throw otherEraError(error, taskId, madeIn, era())
      }
    }, maxConcurrentPolls),
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
    listen: async (taskIds, hooks) => (await connected()).tasks.listen(taskIds, hooks),
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
