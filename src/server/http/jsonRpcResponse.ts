import { isJsonObject } from '../../protocol/json.js'
import type { TaskFailure } from '../../protocol/task.js'

/** A JSON-RPC result on HTTP 200. */
export function resultResponse(body: unknown, result: Record<string, unknown>): Response {
  return Response.json({ jsonrpc: '2.0', id: requestIdOf(body), result })
}

/** A JSON-RPC error on the given HTTP status. */
export function errorResponse(body: unknown, error: TaskFailure, status: number): Response {
  return Response.json({ jsonrpc: '2.0', id: requestIdOf(body), error }, { status })
}

/** The id for the response to a request; null if it is not known. */
function requestIdOf(body: unknown): string | number | null {
  if (!isJsonObject(body)) return null
  const { id } = body
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
