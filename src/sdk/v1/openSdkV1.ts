import type { JSONRPCRequest, Tool } from '@modelcontextprotocol/client'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { TaskConfigurationError, TaskProtocolError } from '../../core/protocol/errors.js'
import { parseInputRequest } from '../../core/protocol/inputRequest.js'
import { isJsonObject } from '../../core/protocol/json.js'
import { parseLegacyResult } from '../../core/protocol/legacyTask.js'
import type { OnProtocolIssue } from '../../core/protocol/task.js'
import type { CallHooks, ToolCallRequest, ToolCallResponse } from '../../core/protocol/taskPort.js'
import { onAbort } from '../../core/time/abort.js'
import type { ConnectionState } from '../../core/wire/connection.js'
import { clientClosedError, toolCallError } from '../../core/wire/errors.js'
import type { LegacyOptions } from '../../core/wire/legacyOptions.js'
import { readPages } from '../../core/wire/readPages.js'
import type { ConnectedSdk, SdkCall } from '../../core/wire/sdkAdapter.js'
import type { TaskOptIn } from '../../core/wire/taskApi.js'
import { isRpcError } from '../../core/wire/wireErrors.js'
import { inputKeyOf } from '../legacy/resultStream.js'
import { createLegacyTasks } from '../legacy/tasks.js'
import { checkOutput, type OutputValidator } from './checkOutput.js'
import type { SdkV1Client } from './client.js'
import { sdkV1Wire } from './wire.js'

export interface OpenSdkV1Options {
  readonly client: SdkV1Client
  readonly onIssue: OnProtocolIssue
  readonly legacy: LegacyOptions
  readonly validator: OutputValidator
}

/** Tasks of 2025-11-25 by the public methods of an SDK v1 client. */
export function openSdkV1({ client, legacy, onIssue, validator }: OpenSdkV1Options): ConnectedSdk {
  const { transport } = client
  if (transport === undefined) {
    // A client that was connected still knows the server.
    if (client.getServerCapabilities() !== undefined) throw clientClosedError()
    throw new TaskConfigurationError('The SDK v1 client is not connected. Connect it before the first use.')
  }
  const wire = sdkV1Wire(client)
  /** The calls under way that can be asked. An input request that names no task does not say which of them it is for: the newest has it. */
  const asking: Pick<CallHooks, 'ask' | 'signal'>[] = []
  let tools: readonly unknown[] = []

  const tasks = createLegacyTasks({
    ...legacy,
    wire,
    capabilities: client.getServerCapabilities(),
    missingCapability: () => undefined,
    listTools,
    onIssue,
    onOtherRequest: askLatest,
    // The session is the app's.
    onSessionLost: () => {},
  })

  async function listTools(): Promise<Tool[]> {
    const listed = await readPages((params) => client.listTools(params))
    tools = listed
    return listed as Tool[]
  }

  function askLatest({ id, method, params }: JSONRPCRequest): boolean {
    const latest = asking.at(-1)
    const parsed = parseInputRequest({ method, params })
    if (latest === undefined || 'problem' in parsed) return false
    const over = new AbortController()
    for (const signal of [latest.signal, wire.withdrawalOf(id)])
      if (signal !== undefined) onAbort(signal, () => over.abort(signal.reason))
    latest
      .ask(inputKeyOf(id), parsed.request, over.signal)
      .then((result) => wire.respond(id, { result }, undefined))
      // The call is over, and with it the input request, or the server has withdrawn that.
      .catch(() => {})
    return true
  }

  async function callTool(
    { name, arguments: args, meta }: ToolCallRequest,
    { optIn, ask }: SdkCall,
    signal: AbortSignal | undefined,
  ): Promise<ToolCallResponse> {
    const _meta = meta && { _meta: meta() }
    const response = await asked({ name, arguments: { ...args }, ...optIn?.params, ..._meta }, ask, signal, optIn)
    if (optIn && isJsonObject(response) && optIn.isTask(response)) return { type: 'task', task: optIn.parse(response) }
    const parsed = parseLegacyResult(response)
    if ('problem' in parsed) throw new TaskProtocolError(parsed.problem, { source: 'tools/call' })
    return { type: 'result', result: await checked(name, parsed.result) }
  }

  async function asked(
    params: { name: string; arguments: object },
    ask: CallHooks['ask'] | undefined,
    signal: AbortSignal = new AbortController().signal,
    optIn?: TaskOptIn,
  ): Promise<unknown> {
    const asker = ask && { ask, signal }
    if (asker) asking.push(asker)
    try {
      return await wire.request('tools/call', { ...params }, { signal, onProgress: optIn?.onProgress })
    } catch (error) {
      signal.throwIfAborted()
      throw toolCallError(error, params.name, isRpcError(error))
    } finally {
      if (asker) asking.splice(asking.indexOf(asker), 1)
    }
  }

  function checked(name: string, result: CallToolResult): Promise<CallToolResult> {
    const tool = tools.find((one) => isJsonObject(one) && one['name'] === name)
    return checkOutput(validator, tool, name, result)
  }

  const close = () => {
    tasks.close()
    wire.release()
  }

  return {
    state: describe(client, transport, tasks.isServed),
    tasks: { ...tasks, close },
    callTool,
    validate: checked,
    listTools,
    isLost: () => client.transport !== transport,
  }
}

function describe(client: SdkV1Client, transport: object, tasks: boolean): ConnectionState {
  const server = client.getServerVersion()
  const { protocolVersion } = transport as { protocolVersion?: unknown }
  return {
    status: 'connected',
    era: 'legacy',
    eraReason: 'The app uses an SDK v1 client, which speaks MCP up to 2025-11-25.',
    ...(typeof protocolVersion === 'string' && { protocolVersion }),
    ...(server && { server: { name: server.name, version: server.version } }),
    tasks,
  }
}
