import type { RequestId } from '@modelcontextprotocol/client'
import type { TaskTransport } from '../transport/taskTransport.js'
import { sessionHeaders } from './session.js'
import type { LegacyWire } from './wire.js'

/**
 * The wire of an SDK v2 client: the transport below it. `addressesSessions`: its `fetch` goes through
 * `withSessionHeader`.
 */
export function transportWire(transport: TaskTransport, addressesSessions: boolean): LegacyWire {
  return {
    get sessionId() {
      return addressesSessions ? transport.sessionId : undefined
    },
    request: (method, params, { signal, sessionId, tellsWhenAborted = false }) => {
      const headers = sessionHeaders(sessionId)
      const onAbort = (requestId: RequestId) => {
        const message = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: { requestId } }
        // Nobody waits for it, and where it gets lost the server gives up by itself some day.
        if (tellsWhenAborted) transport.send(message, { headers }).catch(() => {})
      }
      return transport.requestBare(method, params, { signal, headers, onAbort })
    },
    respond: (id, answer, sessionId) =>
      transport.send({ jsonrpc: '2.0', id, ...answer }, { headers: sessionHeaders(sessionId) }),
    onServerMessage: (listener) => transport.observe(listener),
  }
}
