import {
  ProtocolError as BehindError,
  type CallToolRequestParams,
  type Client,
  isInputRequiredResult,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server'
import { ConnectionFailedError } from '../../core/protocol/errors.js'
import type { CallMeta } from '../../core/protocol/taskPort.js'
import { MAX_TIMER_MS } from '../../server/base/clock.js'
import { INTERNAL_ERROR } from '../../server/base/errorCodes.js'
import { answerFor } from './askClient.js'
import type { CallBehind } from './toolsBehind.js'

/** A call with the responses to what the server behind has asked in the round before. */
type CallAgain = CallToolRequestParams & { readonly inputResponses?: object; readonly requestState?: string }

/** A server that asks more often, or asks for nothing all the time, never comes to an end. */
const MAX_ROUNDS = 100

/**
 * Calls a tool of the server behind: its progress is that of the call in front, which also answers its input requests. When the
 * signal of the context aborts, the server behind gets `notifications/cancelled`.
 *
 * @throws {ProtocolError} of the SDK's server, as the server behind has refused the call; an error for which {@link isStopped} is
 * true if the connection was lost; the reason of the signal.
 */
export async function callBehind(
  client: Client,
  { name, args, context }: CallBehind,
  _meta: CallMeta,
): Promise<CallToolResult> {
  const options = {
    signal: context.signal,
    // The task says how long it may take, and its client may cancel it.
    timeout: MAX_TIMER_MS,
    allowInputRequired: true,
  }
  const call = { name, arguments: { ...args }, _meta }
  let params: CallAgain = call
  try {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const result: unknown = await client.callTool(params, options)
      if (!isInputRequiredResult(result)) return result as CallToolResult
      const { inputRequests = {}, requestState } = result
      const answers = Object.entries(inputRequests).map(async ([key, request]) => [
        key,
        await answerFor(context, request),
      ])
      const inputResponses = Object.fromEntries(await Promise.all(answers))
      params = { ...call, inputResponses, ...(requestState !== undefined && { requestState }) }
    }
  } catch (error) {
    if (error instanceof BehindError) throw new ProtocolError(error.code, error.message, error.data)
    throw error
  }
  throw new ProtocolError(INTERNAL_ERROR, `The server behind the gateway asked for input ${MAX_ROUNDS} times.`)
}

/** What a call fails with whose connection is gone. */
export function connectionClosed(): SdkError {
  return new SdkError(SdkErrorCode.ConnectionClosed, 'The connection was closed.')
}

/** True for an error of a call whose connection was lost: the tool may have run, and its result will not come. */
export function isStopped(error: unknown): boolean {
  // What `fetch` throws if the network fails.
  return error instanceof TypeError || (error instanceof SdkError && STOPPED.has(error.code))
}

/**
 * True where the server behind no longer knows the session, and has not run the tool. Some say so with 400; a task client says so with
 * an error of its own.
 */
export function isSessionLost(error: unknown): boolean {
  if (error instanceof ConnectionFailedError) return true
  if (!(error instanceof SdkHttpError)) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(error.message))
}

const STOPPED: ReadonlySet<string> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
])
