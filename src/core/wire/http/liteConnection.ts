import type { Environment } from '../../environment/environment.js'
import {
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  declareTasks,
  HEADER_MISMATCH,
  IDEMPOTENCY_KEY_META,
  PROTOCOL_VERSION_META,
} from '../../protocol/extension.js'
import { missingCapability } from '../../protocol/inputCapabilities.js'
import type { JsonObject } from '../../protocol/json.js'
import type { OnProtocolIssue } from '../../protocol/task.js'
import type { ToolCallRequest, ToolCallResponse } from '../../protocol/taskPort.js'
import { createFloor } from '../../time/floor.js'
import type { CallLimitOptions } from '../callLimit.js'
import type { Connection, ConnectionState } from '../connection.js'
import { createConnection } from '../createConnection.js'
import { jsonRpcError, toolCallError } from '../errors.js'
import type { HeadersOption } from '../headers.js'
import type { JobsOption } from '../jobs/job.js'
import { DISCOVERED } from '../modern/discovered.js'
import { modernTasks } from '../modern/tasks.js'
import type { ConnectRetry } from '../opening.js'
import type { ConnectedSdk, SdkCall } from '../sdkAdapter.js'
import { NO_SIGN_IN } from '../signInByTransport.js'
import { isRpcError } from '../wireErrors.js'
import { callTool } from './callTool.js'
import { type DiscoveredServer, discover } from './discover.js'
import { listTools } from './listTools.js'
import { createLiteRequests, type LiteRequests } from './liteRequests.js'
import { PROTOCOL_VERSION } from './mcpHeaders.js'

export interface LiteConnectionOptions extends CallLimitOptions, JobsOption {
  /** The endpoint. Asked for with every request: a relative URL may have no page to be resolved against yet. */
  readonly endpoint: () => URL
  /** For error messages. */
  readonly url: string
  readonly headers: HeadersOption | undefined
  readonly fetch: Environment['fetch']
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly capabilities: JsonObject
  readonly environment: Environment
  readonly onState: (state: ConnectionState) => void
  readonly onIssue: OnProtocolIssue
  /** Undefined: connecting is not retried automatically. */
  readonly retry?: Omit<ConnectRetry, 'leftMs'>
}

/** A connection to a server of 2026-07-28 without an SDK client: one POST a request, and nothing that stays open. */
export function createLiteConnection(options: LiteConnectionOptions): Connection {
  const { environment, capabilities, url } = options
  const floor = createFloor(environment.now)
  const envelope = declareTasks({
    [PROTOCOL_VERSION_META]: PROTOCOL_VERSION,
    [CLIENT_INFO_META]: options.clientInfo,
    [CLIENT_CAPABILITIES_META]: capabilities,
  })
  const requests = createLiteRequests({
    url: options.endpoint,
    fetch: options.fetch,
    now: environment.now,
    onConnectAfter: floor.set,
    headers: options.headers,
    envelope,
    environment,
  })
  const calls = { ...options, requests }

  return createConnection({
    ...options,
    signIn: NO_SIGN_IN,
    retry: options.retry && { ...options.retry, leftMs: floor.leftMs },
    sdk: {
      era: () => 'modern',
      missingCapability: (request) => missingCapability(capabilities, request),
      open: async (onConnecting, signal) => {
        onConnecting()
        return connected(await discover(requests, url, signal), calls)
      },
      close: async () => requests.close(),
    },
  })
}

interface Calls extends LiteConnectionOptions {
  readonly requests: LiteRequests
}

function connected({ capabilities, server }: DiscoveredServer, calls: Calls): ConnectedSdk {
  const { requests, onIssue } = calls
  const list = () => listTools(requests, capabilities)
  const tasks = modernTasks(requests, capabilities, onIssue)
  return {
    state: {
      status: 'connected',
      era: 'modern',
      eraReason: tasks.isServed ? `${DISCOVERED}.` : `${DISCOVERED}, and named no tasks there. ${ELSEWHERE}`,
      protocolVersion: PROTOCOL_VERSION,
      ...(server && { server }),
      tasks: tasks.isServed,
    },
    tasks,
    callTool: (request, call, signal) => callOnce(calls, list, request, call, signal),
    // Against the schema of the server nothing is validated here; the shape of a result is.
    validate: (_, result) => Promise.resolve(result),
    listTools: list,
    ping: (signal) => requests.requestInTime('server/discover', {}, signal),
    // There is no connection that could be lost between two requests.
    isLost: () => false,
  }
}

const ELSEWHERE =
  "A proxy in between may keep them back. If it serves them in MCP 2025-11-25, import { createTaskClient } from 'taskwire', which speaks that as well."

/** The request with the key that is the same for every repetition of it. One that is undefined is not sent. */
function withKey(request: ToolCallRequest, key: string | undefined): ToolCallRequest {
  return { ...request, meta: () => ({ ...request.meta?.(), [IDEMPOTENCY_KEY_META]: key }) }
}

async function callOnce(
  calls: Calls,
  list: () => Promise<unknown>,
  request: ToolCallRequest,
  { ask, idempotencyKey }: SdkCall,
  signal: AbortSignal | undefined,
): Promise<ToolCallResponse> {
  try {
    const call = () => callTool(calls, withKey(request, idempotencyKey), ask, signal ?? new AbortController().signal)
    const asked = () => JSON.stringify(calls.requests.listedHeaders.get(request.name))
    // Which of its arguments are to be in headers, the schema of a tool says, as it is now. Nothing has run.
    return await call().catch(async (error: unknown) => {
      if (jsonRpcError(error)?.code !== HEADER_MISMATCH) throw error
      const before = asked()
      await list()
      if (asked() === before) throw error
      return call()
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw toolCallError(error, request.name, isRpcError(error))
  }
}
