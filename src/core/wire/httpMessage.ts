import { isJsonObject, type JsonObject, parseJson } from '../protocol/json.js'

/** The JSON-RPC message in a body; an empty one where there is none to be read. */
export function httpMessage(body: unknown): JsonObject {
  const message = typeof body === 'string' ? parseJson(body) : undefined
  return isJsonObject(message) ? message : {}
}

/** The headers that a `fetch` sends, to be read: those that it was given, where they are `Headers` already. */
export function headersIn(init: RequestInit | undefined): Headers {
  return init?.headers instanceof Headers ? init.headers : new Headers(init?.headers)
}

/** The method of the message that a `fetch` sends: a header says it from 2026-07-28 on, before that its body alone. */
export function requestMethod(init: RequestInit | undefined): string {
  return headersIn(init).get('mcp-method') ?? String(httpMessage(init?.body)['method'])
}
