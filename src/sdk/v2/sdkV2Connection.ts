import type { Client, ClientCapabilities, Transport } from '@modelcontextprotocol/client'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { CLIENT_CAPABILITIES_META, IDEMPOTENCY_KEY_META } from '../../core/protocol/extension.js'
import { missingCapability } from '../../core/protocol/inputCapabilities.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { JsonObject } from '../../core/protocol/json.js'
import type { OnProtocolIssue } from '../../core/protocol/task.js'
import type { ToolCallRequest, ToolCallResponse } from '../../core/protocol/taskPort.js'
import type { Tool } from '../../core/protocol/tool.js'
import { onAbort } from '../../core/time/abort.js'
import { MAX_TIMER_MS } from '../../core/time/policy.js'
import type { CallLimitOptions } from '../../core/wire/callLimit.js'
import type { Connection, ConnectionState } from '../../core/wire/connection.js'
import { createConnection } from '../../core/wire/createConnection.js'
import { clientClosedError, sessionLostError, toolCallError } from '../../core/wire/errors.js'
import type { JobsOption } from '../../core/wire/jobs/job.js'
import type { LegacyOptions } from '../../core/wire/legacyOptions.js'
import { DISCOVERED } from '../../core/wire/modern/discovered.js'
import { modernTasks } from '../../core/wire/modern/tasks.js'
import type { ConnectRetry } from '../../core/wire/opening.js'
import { inRounds } from '../../core/wire/rounds.js'
import type { ConnectedSdk, SdkCall } from '../../core/wire/sdkAdapter.js'
import { type SignIn, signInByTransport } from '../../core/wire/signInByTransport.js'
import type { TaskApi } from '../../core/wire/taskApi.js'
import { isSessionLost } from '../legacy/session.js'
import { CALL_TOKEN_META, type OwnCall, TaskCreated } from '../transport/callToken.js'
import { TaskTransport } from '../transport/taskTransport.js'
import type { EraOption } from './httpTransport.js'

export interface SdkV2ConnectionOptions extends CallLimitOptions, JobsOption {
  readonly client: Client
  /** What a client of ours declares. Undefined for an app's client: what its transport has seen it declare. */
  readonly capabilities?: ClientCapabilities
  /** What a client of ours was told to speak. Undefined: it is not ours. */
  readonly era?: EraOption
  /** A fresh transport for each attempt to connect. Undefined: the client is connected by its owner. */
  readonly createTransport: (() => Transport | Promise<Transport>) | undefined
  /** For error messages. */
  readonly url: string | undefined
  readonly randomId: () => string
  readonly onState: (state: ConnectionState) => void
  readonly onIssue: OnProtocolIssue
  /** Where the transport is one of ours. @default that for a transport of the app */
  readonly signIn?: SignIn | undefined
  /** Undefined where there is nothing to connect over a second time. */
  readonly retry?: ConnectRetry | undefined
  /** For servers of 2025-11-25. */
  readonly legacy: LegacyOptions
  /** Called with each message, in both directions. */
  readonly onMessage?: TaskTransport['onMessage']
}

/** A connection over an SDK v2 client whose transport went through `withTasks`. */
export function createSdkV2Connection(options: SdkV2ConnectionOptions): Connection {
  const { client, createTransport, onIssue, legacy } = options
  /** What the SDK client connects over; until it has, its own `close()` knows nothing of it. */
  let opening: Transport | undefined
  /** What we have connected it over ourselves. */
  let opened: Transport | undefined
  let isOpen = false
  let isClosed = false

  async function open(onConnecting: () => void, signal: AbortSignal): Promise<ConnectedSdk> {
    if (client.transport === undefined && createTransport !== undefined) {
      onConnecting()
      opening = await createTransport()
      opened = opening
      const own = opening
      // A connection that is given up ends here: the next attempt needs a client that has none.
      const stopListening = onAbort(signal, () => void own.close().catch(() => {}))
      // Closed while the transport was made: nothing more may be sent.
      if (isClosed) await own.close()
      else {
        // Where we give it up ourselves, by the clock of the environment, the SDK is not to count beside that.
        const timeout = options.retry && { timeout: MAX_TIMER_MS }
        await client.connect(own, { signal, ...timeout }).finally(stopListening)
      }
      if (opening === own) opening = undefined
    }
    const transport = taskTransportOf(client, isOpen)
    transport.onMessage = options.onMessage
    isOpen = true
    const connected = { ...options, transport, newToken: createTokens(options.randomId) }
    const tasks = await tasksOver(connected)
    return {
      state: describe(client, era(), tasks, options.era),
      tasks,
      callTool: (request, call, signal) => callTool(connected, request, call, signal),
      validate: (name, result) => validate(connected, name, result),
      listTools: () => listTools(connected),
      ...(era() === 'modern' && {
        ping: (signal: AbortSignal) => transport.request('server/discover', {}, signal),
      }),
      isLost: () => client.transport !== transport,
    }
  }

  /** A client that continues a session of an earlier page has negotiated nothing; only the earlier revisions have sessions. */
  const era = () => client.getProtocolEra() ?? (isOpen ? 'legacy' : undefined)

  async function tasksOver(connected: ConnectedClient): Promise<TaskApi> {
    const { transport } = connected
    const capabilities: unknown = client.getServerCapabilities()
    if (era() === 'modern') return modernTasks(transport, capabilities, onIssue)
    const { legacyTasksOverTransport } = await import('../legacy/tasksOverTransport.js')
    const declared = options.capabilities
    return legacyTasksOverTransport({
      transport,
      client,
      capabilities,
      declared,
      listTools: () => listTools(connected),
      missingCapability: missing,
      onIssue,
      legacy,
    })
  }

  /** What was not declared yet cannot be known to be missing. */
  function missing(request: InputRequest): string | undefined {
    const { transport } = client
    const declared = options.capabilities ?? (transport instanceof TaskTransport ? transport.capabilities : undefined)
    return declared === undefined ? undefined : missingCapability(declared, request)
  }

  /** A connection that the app has made is the app's to end. Ours ends before this returns: nothing is sent after it. */
  const close = async () => {
    isClosed = true
    if (opening !== undefined) await opening.close()
    if (opened !== undefined && client.transport === opened) await client.close()
  }

  const { signIn = signInByTransport() } = options
  const allow = () => {
    signIn.allow()
    if (client.transport instanceof TaskTransport) client.transport.allowSignIn()
  }

  return createConnection({
    ...options,
    signIn: { ...signIn, allow },
    sdk: {
      era,
      missingCapability: missing,
      open,
      close,
    },
  })
}

interface ConnectedClient extends Pick<SdkV2ConnectionOptions, 'client' | 'environment' | 'retry'> {
  readonly transport: TaskTransport
  readonly newToken: () => string
}

/** Tokens that no other page, server or connection can guess. Random numbers for each would cost more than the rest of a token. */
function createTokens(randomId: () => string): () => string {
  const prefix = randomId()
  let sequence = 0
  return () => `${prefix}:${++sequence}`
}

/**
 * A `tools/call` through the SDK client, which validates the result and mirrors headers. The input requests of a multi
 * round-trip are those of the call, whoever has made the SDK client: its handlers do not know which call asks. The SDK's
 * default timeout of 60 s must not end a call that the user is thinking about.
 */
async function callTool(
  connected: ConnectedClient,
  { name, arguments: args, meta }: ToolCallRequest,
  call: SdkCall,
  signal = new AbortController().signal,
): Promise<ToolCallResponse> {
  const { client, transport, newToken, environment } = connected
  const { idempotencyKey } = call
  const ownCall: OwnCall = { ...call }
  const token = newToken()
  const release = transport.register(token, ownCall)
  const _meta: JsonObject = {
    ...meta?.(),
    [CALL_TOKEN_META]: token,
    ...(idempotencyKey && { [IDEMPOTENCY_KEY_META]: idempotencyKey }),
  }
  const rounds = {
    tool: name,
    environment,
    get capabilities() {
      return _meta[CLIENT_CAPABILITIES_META] ?? transport.capabilities
    },
  }
  const options = { timeout: MAX_TIMER_MS, signal, allowInputRequired: true }
  const send = (added: JsonObject) => client.callTool({ name, arguments: { ...args }, ...added, _meta }, options)
  try {
    return { type: 'result', result: await inRounds(rounds, send, call.ask, signal) }
  } catch (error) {
    // Also where the call was aborted in the same moment: a task that is known can be followed, and cancelled (makeCall.ts).
    if (error instanceof TaskCreated) return { type: 'task', task: error.task }
    signal.throwIfAborted()
    throw (await lostSession(connected, error, name)) ?? toolCallError(error, name, ownCall.refused === true)
  } finally {
    release()
  }
}

/** The tools, of every page of the list. */
async function listTools(connected: ConnectedClient): Promise<Tool[]> {
  try {
    return (await connected.client.listTools()).tools
  } catch (error) {
    throw (await lostSession(connected, error)) ?? error
  }
}

/**
 * What a request has failed with whose session the server has ended; undefined where it has not. The connection is over then,
 * so that the next use connects again, with a new session, or tells the app to.
 */
async function lostSession(
  { client, transport, retry }: ConnectedClient,
  error: unknown,
  tool?: string,
): Promise<Error | undefined> {
  if (transport.sessionId === undefined || !isSessionLost(error)) return undefined
  if (client.transport === transport) await client.close()
  return sessionLostError(tool, error, retry !== undefined)
}

/** The SDK client validates a result against the output schema of its tool; the transport responds on its own. */
async function validate(
  { client, transport, newToken }: ConnectedClient,
  name: string,
  result: CallToolResult,
): Promise<CallToolResult> {
  const token = newToken()
  const release = transport.register(token, { result })
  try {
    return await client.callTool({ name, _meta: { [CALL_TOKEN_META]: token } })
  } catch (error) {
    throw toolCallError(error, name, false)
  } finally {
    release()
  }
}

function taskTransportOf(client: Client, wasOpen: boolean): TaskTransport {
  const { transport } = client
  if (transport instanceof TaskTransport) return transport
  if (transport === undefined && wasOpen) throw clientClosedError()
  throw new TaskConfigurationError(
    transport === undefined
      ? 'The client is not connected. Connect it over withTasks(transport), or pass { client, transport } to createTaskClient.'
      : 'The client is connected over a transport that knows no tasks. Connect it over withTasks(transport).',
  )
}

function describe(
  client: Client,
  era: ConnectionState['era'],
  tasks: TaskApi,
  asked: EraOption | undefined,
): ConnectionState {
  const protocolVersion = client.getNegotiatedProtocolVersion()
  const server = client.getServerVersion()
  return {
    status: 'connected',
    ...(era && { era, eraReason: eraReason(era, tasks.isServed, asked) }),
    ...(protocolVersion && { protocolVersion }),
    ...(server && { server: { name: server.name, version: server.version } }),
    tasks: tasks.isServed,
  }
}

function eraReason(era: 'modern' | 'legacy', isServed: boolean, asked: EraOption | undefined): string {
  if (era === 'modern') {
    if (isServed || asked === undefined) return `${DISCOVERED}.`
    return `${DISCOVERED}, and named no tasks there. A proxy in between may keep them back. It may serve them in MCP 2025-11-25: try era: 'legacy'.`
  }
  if (asked === 'legacy') return "The option era: 'legacy' asked for initialize, and the server answered it."
  return asked === 'auto'
    ? 'The server does not know server/discover, which came with MCP 2026-07-28, but it answered initialize.'
    : 'The SDK client of the app connected by initialize: the server knows no later way, or the client did not ask for one.'
}
