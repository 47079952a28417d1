import { type CallToolResult, type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server'
import { isJsonObject } from '../../core/protocol/json.js'
import type { InstrumentedCall } from '../base/taskServerInstrument.js'
import { requestParams } from '../http/requestParams.js'
import type { ServerParts } from '../serverParts.js'
import { toTaskFailure } from '../tasks/taskFailure.js'
import type { TaskRun } from '../tasks/taskRun.js'
import { callTool, type ValidCall } from './callTool.js'

type Answer = CallToolResult | InputRequiredResult

/** As {@link callTool}, seen by the option `instrument`: also the work of a task that the client has got in the meantime. */
export function callInstrumentedTool(call: ValidCall, parts: ServerParts): Promise<Answer> {
  const { instrument, clock } = parts.config
  if (instrument === undefined) return callTool(call, parts)
  const { request, body } = call.exchange
  const { _meta } = requestParams(body)
  const { name: tool } = call.tool
  const about: InstrumentedCall = {
    tool,
    meta: isJsonObject(_meta) ? _meta : {},
    protocolVersion: request.headers.get('mcp-protocol-version') ?? undefined,
    now: () => clock.now(),
    stopped: () => stoppedBy(call.exchange.run),
  }
  let respond: (answer: Answer) => void = () => {}
  const early = new Promise<Answer>((resolve) => {
    respond = resolve
  })
  async function run(): Promise<Answer> {
    const answer = await callTool(call, parts)
    const { work } = call.exchange
    if (work === undefined) return answer
    respond(answer)
    return work.catch(throwFailure)
  }
  return Promise.race([instrument.runTool(about, run), early])
}

/** Throws the error that the server sends to the client of the task. */
function throwFailure(error: unknown): never {
  const { code, message, data } = toTaskFailure(error)
  throw new ProtocolError(code, message, data)
}

function stoppedBy(run: TaskRun | undefined): ReturnType<InstrumentedCall['stopped']> {
  if (run?.isLost === true) return 'handed-over'
  return run?.latest.cancelRequested === true ? 'cancelled' : undefined
}
