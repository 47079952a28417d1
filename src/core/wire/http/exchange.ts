import type { Environment } from '../../environment/environment.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { type HeadersOption, headersOf } from '../headers.js'
import { httpMessage } from '../httpMessage.js'
import { HttpError, RpcError, WireError } from '../wireErrors.js'
import { setMcpHeaders } from './mcpHeaders.js'
import { sseMessages } from './sseMessages.js'
import type { ListedHeaders } from './toolHeaders.js'
import { withinOrigin } from './withinOrigin.js'

/** Where requests go, and by what. */
export interface ExchangeOptions {
  readonly url: () => URL
  readonly fetch: Environment['fetch']
  readonly headers: HeadersOption | undefined
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
 * Sends a request: one POST (MCP 2026-07-28, "Streamable HTTP"). Yields the messages of the answer as they come; who has
 * the response stops reading, which closes the answer.
 *
 * @throws {HttpError} for a status that is none of success, {@link RpcError} where it brings a JSON-RPC error to the
 * request, {@link WireError} where what comes is no MCP, and what `fetch` throws.
 */
export async function* exchange(
  options: ExchangeOptions,
  { id, method, params }: JsonRpcRequest,
  signal: AbortSignal,
): AsyncGenerator<JsonObject, void> {
  const headers = await headersOf(options.headers)
  setMcpHeaders(headers, method, params, options.listedHeaders)
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const url = options.url()
  const response = await withinOrigin(options.fetch)(url, { method: 'POST', headers, body, signal })
  if (!response.ok) throw await refusal(response, id)
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (response.status !== ACCEPTED && type === 'text/event-stream') {
    // Of a stream, only what is a message counts; the rest may belong to a later revision.
    for await (const message of sseMessages(response, signal)) if (isMessage(message)) yield message
    return
  }
  if (response.status === ACCEPTED || type !== 'application/json') {
    await response.body?.cancel()
    throw new WireError(
      'CLIENT_HTTP_UNEXPECTED_CONTENT',
      `The response to ${method} is no message (${type ?? 'no type'}).`,
    )
  }
  const json: unknown = await response.json()
  for (const message of Array.isArray(json) ? json : [json]) {
    if (!isMessage(message)) throw notAbout(method)
    yield message
  }
  throw notAbout(method)
}

/** The HTTP exchange is over, and brought no response to the request. */
function notAbout(method: string): WireError {
  return new WireError('CLIENT_HTTP_UNEXPECTED_CONTENT', `The response to ${method} is not about the request.`)
}

/** The errors of a server that has looked at the request come as a JSON-RPC error, with 400 as with 200. */
async function refusal(response: Response, id: number): Promise<Error> {
  const text = await response.text().catch(() => '')
  const message = response.status === 400 ? httpMessage(text) : {}
  return (message['id'] === id && errorOf(message)) || new HttpError(response.status, text)
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
