import type { Client, ClientCapabilities, RequestId } from '@modelcontextprotocol/client'
import type { OnProtocolIssue } from '../../core/protocol/task.js'
import type { LegacyOptions } from '../../core/wire/legacyOptions.js'
import type { TaskApi } from '../../core/wire/taskApi.js'
import { usesFirstLoad } from '../firstLoad.js'
import type { TaskTransport } from '../transport/taskTransport.js'
import { routeInputRequests } from './routeInputRequests.js'
import { sessionHeaders } from './session.js'
import { createLegacyTasks, type LegacyTasksOptions } from './tasks.js'
import type { LegacyWire } from './wire.js'

usesFirstLoad()

export interface TasksOverTransportOptions {
  readonly transport: TaskTransport
  readonly client: Client
  readonly capabilities: unknown
  /** What a client of ours declares. Undefined for an app's client, which has the app's handlers. */
  readonly declared: ClientCapabilities | undefined
  readonly missingCapability: LegacyTasksOptions['missingCapability']
  readonly listTools: LegacyTasksOptions['listTools']
  readonly onIssue: OnProtocolIssue
  readonly legacy: LegacyOptions
}

/** Tasks of 2025-11-25 over an SDK v2 client. Loaded where a server speaks it: most apps of tomorrow need none of this. */
export function legacyTasksOverTransport({
  transport,
  client,
  declared,
  legacy,
  ...options
}: TasksOverTransportOptions): TaskApi {
  if (declared !== undefined) routeInputRequests(client, declared)
  return createLegacyTasks({
    ...options,
    ...legacy,
    wire: transportWire(transport, legacy.addressesSessions),
    onSessionLost: () => void client.close(),
  })
}

/**
 * The wire of an SDK v2 client: the transport below it. `addressesSessions`: its `fetch` goes through
 * `withSessionHeader`.
 */
function transportWire(transport: TaskTransport, addressesSessions: boolean): LegacyWire {
  return {
    get sessionId() {
      return addressesSessions ? transport.sessionId : undefined
    },
    hasOwnTokens: false,
    request: (method, params, { signal, sessionId, cancelsOnAbort = false }) => {
      const headers = sessionHeaders(sessionId)
      const onAbort = (requestId: RequestId) => {
        const message = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: { requestId } }
        // It is not awaited, and if it gets lost the server gives up some day.
        if (cancelsOnAbort) transport.send(message, { headers }).catch(() => {})
      }
      return transport.requestWithoutEnvelope(method, params, { signal, headers, onAbort })
    },
    respond: (id, response, sessionId) =>
      transport.send({ jsonrpc: '2.0', id, ...response }, { headers: sessionHeaders(sessionId) }),
    onServerMessage: (listener) => transport.observe(listener),
  }
}
