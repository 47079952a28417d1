import type { Environment } from '../../environment/environment.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { type HeadersOption, headersOf } from '../headers.js'
import { httpMessage } from '../httpMessage.js'
import { isOfRevision, PROBE, retryAfterOf } from '../retryAfter.js'
import { HttpError, RpcError, WireError } from '../wireErrors.js'
import { setMcpHeaders } from './mcpHeaders.js'
import { readEvents } from './readEvents.js'
import type { ListedHeaders } from './toolHeaders.js'
import { withinOrigin } from './withinOrigin.js'

/** Where requests go, and by what. */
export interface ExchangeOptions {
  readonly url: () => URL
  readonly fetch: Environment['fetch']
  readonly headers: HeadersOption | undefined
  readonly environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>
  readonly now: () => number
  /** Called with the ms for which a server that refused the connection wants to be left alone. */
  readonly onConnectAfter?: ((ms: number) => void) | undefined
  /** What the arguments of tools are to say in headers. */
  readonly listedHeaders?: ListedHeaders
}

export interface JsonRpcRequest {
  readonly id: number
  readonly method: string
  readonly params: JsonObject
}

/** The status of what is accepted and not answered. */
const ACCEPTED = 202

/**
 * Sends a request: one POST (MCP 2026-07-28, "Streamable HTTP"). `onMessage` is called with the messages of the answer as they
 * come, and returns true for the response: that ends the exchange. Resolves then, or where a stream ends.
 *
 * @throws {HttpError} for a status that is none of success, {@link RpcError} where it brings a JSON-RPC error to the
 * request, {@link WireError} where what comes is no MCP; what `fetch` and `onMessage` throw.
 */
export async function exchange(
  options: ExchangeOptions,
  { id, method, params }: JsonRpcRequest,
  signal: AbortSignal,
  onMessage: (message: JsonObject) => boolean,
): Promise<void> {
  const headers = await headersOf(options.headers, options.environment, signal)
  setMcpHeaders(headers, method, params, options.listedHeaders)
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const response = await withinOrigin(options.fetch)(options.url(), { method: 'POST', headers, body, signal })
  if (!response.ok) throw await refusal(response, id, method, options)
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const isAnswered = response.status !== ACCEPTED
  // Of a stream, only what is a message counts; the rest may belong to a later revision.
  if (isAnswered && type === 'text/event-stream')
    return readEvents(response, signal, (message) => isMessage(message) && onMessage(message))
  if (!isAnswered || type !== 'application/json') {
    await response.body?.cancel()
    throw unexpected(method, `is not a message (${type ?? 'no type'})`)
  }
  for (const message of [(await response.json()) as unknown].flat()) {
    if (!isMessage(message)) break
    if (onMessage(message)) return
  }
  // The HTTP exchange is over, and brought no response to the request.
  throw unexpected(method, 'is not about the request')
}

function unexpected(method: string, what: string): WireError {
  return new WireError('CLIENT_HTTP_UNEXPECTED_CONTENT', `The response to ${method} ${what}.`)
}

/**
 * The errors of a server that has looked at the request come as a JSON-RPC error, with 400 as with 200; those of the revision of
 * the request with any status, for they say which revision the server speaks.
 */
async function refusal(
  response: Response,
  id: number,
  method: string,
  { now, onConnectAfter }: ExchangeOptions,
): Promise<Error> {
  const { status } = response
  const retryAfterMs = retryAfterOf(response, now())
  const isProbe = method === PROBE
  if (isProbe && retryAfterMs !== undefined) onConnectAfter?.(retryAfterMs)
  const text = await response.text().catch(() => '')
  const message = httpMessage(text)
  const error = errorOf(message)
  const isOurs = (status === 400 && message['id'] === id) || (isProbe && isOfRevision(error?.code))
  return (isOurs && error) || new HttpError(status, text, retryAfterMs)
}

/** The JSON-RPC error that a message brings. */
export function errorOf({ error }: JsonObject): RpcError | undefined {
  if (!isJsonObject(error)) return undefined
  const { code, message, data } = error
  return typeof code === 'number' && typeof message === 'string' ? new RpcError(code, message, data) : undefined
}

function isMessage(value: unknown): value is JsonObject {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') return false
  return typeof value['method'] === 'string' || isJsonObject(value['result']) || errorOf(value) !== undefined
}
