import type { Environment } from '../environment/environment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskProtocolError, TaskStuckError } from '../protocol/errors.js'
import { undeclaredInput } from '../protocol/inputCapabilities.js'
import { type InputResponse, parseInputRequest } from '../protocol/inputRequest.js'
import { isJsonObject, type JsonObject } from '../protocol/json.js'
import type { CallHooks } from '../protocol/taskPort.js'
import { onAbort } from '../time/abort.js'

/** Requests in a row that ask for input, before the call is given up. */
const MAX_ROUNDS = 10

/** Before a request that brings nothing but the server's own state: nobody has to answer, so nothing else takes time. */
const STATE_ONLY_PAUSE_MS = 250

export interface RoundsOptions {
  /** The name of the tool, for error messages. */
  readonly tool: string
  /** What the client has declared in the request. */
  readonly capabilities: unknown
  readonly environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>
}

type Ask = CallHooks['ask']

/**
 * Sends a `tools/call`, and again with the responses to what the server asks before it answers (MCP 2026-07-28,
 * "Multi Round-Trip Requests"). `send` is called with what a round adds to the params, and resolves to the result.
 *
 * ```text
 * tools/call ── input_required, requestState ── ask ── tools/call, inputResponses, requestState ── result or task
 * ```
 */
export async function inRounds<T>(
  options: RoundsOptions,
  send: (added: JsonObject) => Promise<T>,
  ask: Ask | undefined,
  signal: AbortSignal,
): Promise<T> {
  let result = await send({})
  for (let round = 0; isJsonObject(result) && result['resultType'] === 'input_required'; round++) {
    if (round === MAX_ROUNDS) throw stuck(options.tool)
    result = await send(await nextRound(options, result, ask, signal))
  }
  return result
}

/** What the next request adds: the responses, and what the server wants back. */
async function nextRound(
  options: RoundsOptions,
  { inputRequests: given, requestState: state }: JsonObject,
  ask: Ask | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const entries = Object.entries(isJsonObject(given) ? given : {})
  if (entries.length === 0 && typeof state !== 'string')
    throw protocolError('it asks for input and lists no input request')
  const undeclared = undeclaredInput(given, options.capabilities)
  if (undeclared) throw undeclared
  if (ask === undefined && entries.length > 0) throw protocolError('an input request belongs to no call')
  const inputResponses = ask && (await askAll(entries, ask, signal))
  if (entries.length === 0) await pause(options.environment, signal)
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

function pause({ setTimeout, clearTimeout }: RoundsOptions['environment'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stopListening()
      resolve()
    }, STATE_ONLY_PAUSE_MS)
    const stopListening = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

function stuck(tool: string): TaskStuckError {
  return new TaskStuckError(
    `The server asked for input again and again before it ran "${tool}", so the call was given up.${inDevelopment ? ' Report this to its maintainers.' : ''}`,
  )
}

function protocolError(violation: string): TaskProtocolError {
  return new TaskProtocolError(violation, { source: 'tools/call' })
}
