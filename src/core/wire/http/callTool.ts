import type { Environment } from '../../environment/environment.js'
import { parseCallToolResult } from '../../protocol/callToolResult.js'
import { TaskProtocolError } from '../../protocol/errors.js'
import { undeclaredInput } from '../../protocol/inputCapabilities.js'
import { type InputResponse, parseInputRequest } from '../../protocol/inputRequest.js'
import { isJsonObject, isTooDeep, type JsonObject } from '../../protocol/json.js'
import { type OnProtocolIssue, parseTask } from '../../protocol/task.js'
import type { CallHooks, ToolCallRequest, ToolCallResponse } from '../../protocol/taskPort.js'
import { onAbort } from '../../time/abort.js'
import type { TaskRequester } from '../taskRequester.js'
import { WireError } from '../wireErrors.js'
import { completeResult } from './liteRequests.js'

/** Requests in a row that ask for input, before the call is given up. */
const MAX_ROUNDS = 10

/** Before a request that brings nothing but the server's own state: nobody has to answer, so nothing else takes time. */
const STATE_ONLY_PAUSE_MS = 250

export interface CallToolOptions {
  readonly requests: TaskRequester
  /** What the client has declared. */
  readonly capabilities: JsonObject
  readonly environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>
  readonly onIssue: OnProtocolIssue
}

type Ask = CallHooks['ask']

/**
 * Sends `tools/call`, and again with the responses to what the server asks before it answers (MCP 2026-07-28,
 * "Multi Round-Trip Requests").
 *
 * ```text
 * tools/call ── input_required, requestState ── ask ── tools/call, inputResponses, requestState ── result or task
 * ```
 */
export async function callTool(
  options: CallToolOptions,
  { name, arguments: args, meta }: ToolCallRequest,
  ask: Ask | undefined,
  signal: AbortSignal,
): Promise<ToolCallResponse> {
  const call: JsonObject = { name, arguments: { ...args }, ...(meta && { _meta: meta() }) }
  let params = call
  for (let round = 0; ; round++) {
    const result = await options.requests.request('tools/call', params, signal)
    const { resultType } = isJsonObject(result) ? result : {}
    if (resultType === 'task') return { type: 'task', task: parseTask(result, 'tools/call', options.onIssue) }
    if (isTooDeep(result)) throw protocolError('the result is nested too deep')
    if (resultType !== 'input_required') {
      const parsed = parseCallToolResult(completeResult('tools/call', result))
      if ('problem' in parsed) throw protocolError(`the ${parsed.problem}`)
      return { type: 'result', result: parsed.result }
    }
    if (round === MAX_ROUNDS)
      throw new WireError(
        'INPUT_REQUIRED_ROUNDS_EXCEEDED',
        `The server still asks for input after ${MAX_ROUNDS} rounds.`,
      )
    params = { ...call, ...(await nextRound(options, result as JsonObject, ask, signal)) }
  }
}

/** What the next request adds: the responses, and what the server wants back. */
async function nextRound(
  { capabilities, environment }: CallToolOptions,
  { inputRequests: given, requestState: state }: JsonObject,
  ask: Ask | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const entries = Object.entries(isJsonObject(given) ? given : {})
  if (entries.length === 0 && typeof state !== 'string') throw protocolError('it asks for input and names none')
  const undeclared = undeclaredInput(given, capabilities)
  if (undeclared) throw undeclared
  if (ask === undefined && entries.length > 0) throw protocolError('an input request belongs to no call')
  const inputResponses = ask && (await askAll(entries, ask, signal))
  if (entries.length === 0) await pause(environment, signal)
  return {
    ...(entries.length > 0 && { inputResponses }),
    ...(typeof state === 'string' && { requestState: state }),
  }
}

/** Asks for all at once. Where one fails, nobody is asked for the others any longer. */
async function askAll(
  entries: readonly [string, unknown][],
  ask: Ask,
  signal: AbortSignal,
): Promise<Record<string, InputResponse>> {
  const round = new AbortController()
  const stopListening = onAbort(signal, () => round.abort(signal.reason))
  try {
    const responses = entries.map(async ([key, value]) => {
      const parsed = parseInputRequest(value)
      if ('problem' in parsed) throw protocolError(`an input request ${parsed.problem}`)
      return [key, await ask(key, parsed.request, round.signal)] as const
    })
    return Object.fromEntries(await Promise.all(responses))
  } catch (error) {
    round.abort(error)
    throw error
  } finally {
    stopListening()
  }
}

function pause(environment: CallToolOptions['environment'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = environment.setTimeout(() => {
      stopListening()
      resolve()
    }, STATE_ONLY_PAUSE_MS)
    const stopListening = onAbort(signal, () => {
      environment.clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

function protocolError(violation: string): TaskProtocolError {
  return new TaskProtocolError(violation, { source: 'tools/call' })
}
