import type { Client, ClientCapabilities } from '@modelcontextprotocol/client'
import { TaskProtocolError } from '../../core/protocol/errors.js'
import { INVALID_PARAMS } from '../../core/protocol/extension.js'
import { CAPABILITY_OF, INPUT_METHODS, missingCapability } from '../../core/protocol/inputCapabilities.js'
import { parseInputRequest } from '../../core/protocol/inputRequest.js'
import type { JsonObject } from '../../core/protocol/json.js'
import { ProtocolError } from '../sdk.js'
import { CALL_TOKEN_META } from '../transport/callToken.js'
import { TaskTransport } from '../transport/taskTransport.js'

/**
 * Hands the input requests of a multi round-trip, which the SDK client asks its handlers, to the calls that
 * they belong to: every kind that the capabilities declare. For a client of our own only: an app's client has the app's
 * handlers. A request of 2025-11-25 that names no task does not say which call it is about, so the latest one has it.
 */
export function routeInputRequests(client: Client, capabilities: ClientCapabilities): void {
  const callOf = (transport: TaskTransport, token: unknown) =>
    client.getProtocolEra() === 'legacy' ? transport.latestCall() : transport.callOf(token)
  for (const method of INPUT_METHODS) {
    // Of the kinds that are not declared the SDK client refuses every request.
    if (capabilities[CAPABILITY_OF[method]] === undefined) continue
    client.setRequestHandler(method, async (request, { mcpReq }) => {
      const { transport } = client
      const call = transport instanceof TaskTransport ? callOf(transport, mcpReq._meta?.[CALL_TOKEN_META]) : undefined
      const parsed = parseInputRequest({ method, params: unmarked(request.params) })
      if (call?.ask === undefined || 'problem' in parsed) {
        throw new TaskProtocolError('an input request belongs to no call', { source: 'tools/call' })
      }
      const missing = missingCapability(capabilities, parsed.request)
      if (missing !== undefined) throw new ProtocolError(INVALID_PARAMS, `The client has not declared ${missing}.`)
      return (await call.ask(String(mcpReq.id), parsed.request, mcpReq.signal)) as never
    })
  }
}

function unmarked(params: unknown): JsonObject {
  const { _meta, ...rest } = (params ?? {}) as JsonObject
  return rest
}
