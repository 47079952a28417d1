import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { isJsonObject } from '../../core/protocol/json.js'
import { requestParams } from '../http/requestParams.js'
import type { ServerParts } from '../serverParts.js'
import { callTool, type ValidCall } from './callTool.js'

/** As {@link callTool}, seen by the option `instrument`. */
export function callInstrumentedTool(
  call: ValidCall,
  parts: ServerParts,
): Promise<CallToolResult | InputRequiredResult> {
  const { instrument, clock } = parts.config
  const run = () => callTool(call, parts)
  if (instrument === undefined) return run()
  const { request, body } = call.exchange
  const { _meta } = requestParams(body)
  const protocolVersion = request.headers.get('mcp-protocol-version') ?? undefined
  const meta = isJsonObject(_meta) ? _meta : {}
  return instrument.runTool({ tool: call.tool.name, meta, protocolVersion, now: () => clock.now() }, run)
}
