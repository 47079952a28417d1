import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { isJsonObject } from '../../core/protocol/json.js'
import type { InstrumentedCall } from '../base/taskServerInstrument.js'
import { requestParams } from '../http/requestParams.js'
import type { ServerParts } from '../serverParts.js'
import type { TaskRun } from '../tasks/taskRun.js'
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
  const { name: tool } = call.tool
  const stopped = () => stoppedBy(call.exchange.run)
  return instrument.runTool({ tool, meta, protocolVersion, now: () => clock.now(), stopped }, run)
}

function stoppedBy(run: TaskRun | undefined): ReturnType<InstrumentedCall['stopped']> {
  if (run?.isLost === true) return 'handed-over'
  return run?.latest.cancelRequested === true ? 'cancelled' : undefined
}
