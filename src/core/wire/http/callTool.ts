import { parseCallToolResult } from '../../protocol/callToolResult.js'
import { TaskProtocolError } from '../../protocol/errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { type OnProtocolIssue, parseTask } from '../../protocol/task.js'
import type { CallHooks, ToolCallRequest, ToolCallResponse } from '../../protocol/taskPort.js'
import { inRounds, type RoundsOptions } from '../rounds.js'
import type { TaskRequester } from '../taskRequester.js'
import { completeResult } from './liteRequests.js'

export interface CallToolOptions extends Omit<RoundsOptions, 'tool'> {
  readonly requests: TaskRequester
  readonly onIssue: OnProtocolIssue
}

/** Sends `tools/call`, in as many rounds as the server asks for input before it answers. */
export async function callTool(
  options: CallToolOptions,
  { name, arguments: args, meta }: ToolCallRequest,
  ask: CallHooks['ask'] | undefined,
  signal: AbortSignal,
): Promise<ToolCallResponse> {
  const call: JsonObject = { name, arguments: { ...args }, ...(meta && { _meta: meta() }) }
  const send = (added: JsonObject) => options.requests.request('tools/call', { ...call, ...added }, signal)
  const result = await inRounds({ ...options, tool: name }, send, ask, signal)
  if (isJsonObject(result) && result['resultType'] === 'task')
    return { type: 'task', task: parseTask(result, 'tools/call', options.onIssue) }
  const parsed = parseCallToolResult(completeResult('tools/call', result))
  if ('problem' in parsed) throw protocolError(`the ${parsed.problem}`)
  return { type: 'result', result: parsed.result }
}

function protocolError(violation: string): TaskProtocolError {
  return new TaskProtocolError(violation, { source: 'tools/call' })
}
