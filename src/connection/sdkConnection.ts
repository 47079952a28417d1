import type { Client, Tool, Transport } from '@modelcontextprotocol/client'
import { MAX_TIMER_MS } from '../engine/pollPolicy.js'
import type { CallHooks, ToolCallRequest } from '../engine/taskPort.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { TaskConfigurationError, TaskError } from '../protocol/errors.js'
import { supportsTasks } from '../protocol/extension.js'
import type { OnProtocolIssue, Task } from '../protocol/task.js'
import { type CallClaim, CLAIM_META } from './callClaim.js'
import { checkAnswer } from './checkAnswer.js'
import type { Connection, ConnectionState } from './connection.js'
import { limitConcurrency } from './limitConcurrency.js'
import { connectionError, toolCallError } from './requestErrors.js'
import { cancelTask, getTask, listenToTasks, updateTask } from './taskRequests.js'
import { TaskTransport } from './taskTransport.js'

export interface SdkConnectionOptions {
  readonly client: Client
  /** A fresh transport for each attempt to connect. Undefined: the client is connected by its owner. */
  readonly createTransport: (() => Transport) | undefined
  /** For error messages. */
  readonly url: string | undefined
  readonly maxConcurrentPolls: number
  readonly randomId: () => string
  readonly onState: (state: ConnectionState) => void
  readonly onIssue: OnProtocolIssue
}

/** A connection over an SDK v2 client whose transport went through `withTasks`. */
export function createSdkConnection(options: SdkConnectionOptions): Connection {
  const { client, onState, onIssue } = options
  let connecting: Promise<TaskTransport> | undefined
  let isOpen = false
  let isClosed = false

  async function open(): Promise<TaskTransport> {
    if (client.transport === undefined && options.createTransport !== undefined) {
      onState({ status: 'connecting' })
      await client.connect(options.createTransport())
    }
    const transport = taskTransportOf(client)
    isOpen = true
    onState(describe(client))
    return transport
  }

  /** One attempt at a time; a failed one is forgotten, so that the next use tries again. */
  function connected(): Promise<TaskTransport> {
    if (isClosed) return Promise.reject(closedError())
    const isLost = isOpen && client.transport === undefined
    if (connecting !== undefined && !isLost) return connecting
    isOpen = false
    connecting = open().catch((cause: unknown) => {
      connecting = undefined
      const error = connectionError(cause, options.url)
      onState({ status: 'failed', error })
      throw error
    })
    return connecting
  }

  /**
   * A `tools/call` through the SDK client, which validates the result, mirrors headers and resolves
   * multi round-trips. The SDK's default timeout of 60 s must not end a task that is being followed.
   */
  async function call(
    request: ToolCallRequest,
    claim: CallClaim,
    { signal, beforeSend }: Partial<CallHooks> = {},
  ): Promise<CallToolResult> {
    const transport = await connected()
    await beforeSend?.()
    signal?.throwIfAborted()
    const token = options.randomId()
    const release = transport.claim(token, claim)
    try {
      return await client.callTool(
        { name: request.name, arguments: { ...request.arguments }, _meta: { [CLAIM_META]: token } },
        { timeout: MAX_TIMER_MS, ...(signal && { signal }) },
      )
    } catch (error) {
      throw signal?.aborted ? signal.reason : toolCallError(error, request.name, claim.refused === true)
    } finally {
      release()
    }
  }

  async function listTools(): Promise<Tool[]> {
    await connected()
    return (await client.listTools()).tools
  }

  return {
    get era() {
      return client.getProtocolEra() ?? 'modern'
    },
    connect: async () => {
      await connected()
    },
    callTool: (request, hooks) => call(request, { hold: hooks.hold, ask: hooks.ask }, hooks),
    completeCall: (name, result) => call({ name }, { hold: () => Promise.resolve(result), result }),
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
    getTask: limitConcurrency(
      async (taskId: string, signal?: AbortSignal) => getTask(await connected(), taskId, signal, onIssue),
      options.maxConcurrentPolls,
    ),
    updateTask: async (taskId, inputResponses, signal) => updateTask(await connected(), taskId, inputResponses, signal),
    cancelTask: async (taskId, signal) => cancelTask(await connected(), taskId, signal),
    isRepeatable: async (name) => {
      try {
        const { annotations } = (await listTools()).find((tool) => tool.name === name) ?? {}
        return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
      } catch {
        // Whoever cannot be asked has not said so.
        return false
      }
    },
    listen: async (taskIds, hooks) => listenToTasks(await connected(), taskIds, hooks, onIssue),
    checkAnswer,
    listTools,
    close: async () => {
      isClosed = true
      onState({ status: 'closed' })
      await client.close()
    },
  }
}

function taskTransportOf(client: Client): TaskTransport {
  const { transport } = client
  if (transport instanceof TaskTransport) return transport
  throw new TaskConfigurationError(
    transport === undefined
      ? 'The client is not connected. Connect it over withTasks(transport), or pass { client, transport } to createTaskClient.'
      : 'The client is connected over a transport that knows no tasks. Connect it over withTasks(transport).',
  )
}

function describe(client: Client): ConnectionState {
  const era = client.getProtocolEra()
  const protocolVersion = client.getNegotiatedProtocolVersion()
  const server = client.getServerVersion()
  return {
    status: 'connected',
    ...(era && { era }),
    ...(protocolVersion && { protocolVersion }),
    ...(server && { server: { name: server.name, version: server.version } }),
    tasks: supportsTasks(client.getServerCapabilities()),
  }
}

function closedError(): TaskConfigurationError {
  return new TaskConfigurationError('This task client is closed. Create a new one with createTaskClient().')
}
