import type { Client, ClientCapabilities } from '@modelcontextprotocol/client'
import { TaskProtocolError } from '../../core/protocol/errors.js'
import { INVALID_PARAMS } from '../../core/protocol/extension.js'
import { CAPABILITY_OF, INPUT_METHODS, missingCapability } from '../../core/protocol/inputCapabilities.js'
import { parseInputRequest } from '../../core/protocol/inputRequest.js'
import { ProtocolError } from '../sdk.js'
import { TaskTransport } from '../transport/taskTransport.js'

/**
 * Hands the input requests that a server of 2025-11-25 sends during a call to the latest call, because they do not say which
 * one they are about: every kind that the capabilities declare.
 */
export function routeInputRequests(client: Client, capabilities: ClientCapabilities): void {
  for (const method of INPUT_METHODS) {
    // Of the kinds that are not declared the SDK client refuses every request.
    if (capabilities[CAPABILITY_OF[method]] === undefined) continue
    client.setRequestHandler(method, async (request, { mcpReq }) => {
      const { transport } = client
      const call = transport instanceof TaskTransport ? transport.latestCall() : undefined
      const { _meta: _, ...params } = request.params ?? {}
      const parsed = parseInputRequest({ method, params })
      if (call?.ask === undefined || 'problem' in parsed) {
        throw new TaskProtocolError('an input request belongs to no call', { source: 'tools/call' })
      }
      const missing = missingCapability(capabilities, parsed.request)
      if (missing !== undefined) throw new ProtocolError(INVALID_PARAMS, `The client has not declared ${missing}.`)
      return (await call.ask(String(mcpReq.id), parsed.request, mcpReq.signal)) as never
    })
  }
}
