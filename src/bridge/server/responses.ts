import { ConnectionFailedError } from '../../core/protocol/errors.js'

/** What a user sees is for no cache on the way. */
export const NEVER_CACHED = { 'cache-control': 'no-store, no-transform' }

export function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...NEVER_CACHED, ...headers } })
}

export function refuse(
  status: number,
  reason: string | ConnectionFailedError,
  headers?: Record<string, string>,
): Response {
  const error = typeof reason === 'string' ? new ConnectionFailedError(reason) : reason
  return json(status, { error: error.toJSON() }, headers)
}
