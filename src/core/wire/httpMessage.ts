import { isJsonObject, type JsonObject } from '../protocol/json.js'

/** The JSON-RPC message in a body; an empty one where there is none to be read. */
export function httpMessage(body: unknown): JsonObject {
  if (typeof body !== 'string') return {}
  try {
    const message: unknown = JSON.parse(body)
    return isJsonObject(message) ? message : {}
  } catch {
    return {}
  }
}

/** The method of the message that a `fetch` sends: a header says it from 2026-07-28 on, before that its body alone. */
export function requestMethod(init: RequestInit | undefined): string {
  return new Headers(init?.headers).get('mcp-method') ?? String(httpMessage(init?.body)['method'])
}
