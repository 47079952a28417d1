import { isJsonObject } from '../../core/protocol/json.js'
import type { TaskFailure } from '../../core/protocol/task.js'

/** A JSON-RPC result on HTTP 200. */
export function resultResponse(body: unknown, result: Record<string, unknown>): Response {
  return Response.json({ jsonrpc: '2.0', id: requestIdOf(body), result })
}

/** A JSON-RPC error on the given HTTP status. `retryAfterMs`: when the client may come again, where that is known. */
export function errorResponse(body: unknown, error: TaskFailure, status: number, retryAfterMs?: number): Response {
  const headers: HeadersInit = retryAfterMs === undefined ? {} : { 'Retry-After': inSeconds(retryAfterMs) }
  return Response.json({ jsonrpc: '2.0', id: requestIdOf(body), error }, { status, headers })
}

/** Whole seconds, at least one: 0 would have the client come back at once. */
function inSeconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)))
}

/** The id for the response to a request; null if it is not known. */
function requestIdOf(body: unknown): string | number | null {
  if (!isJsonObject(body)) return null
  const { id } = body
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
