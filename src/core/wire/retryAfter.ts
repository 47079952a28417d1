import type { Environment } from '../environment/environment.js'
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY } from '../protocol/extension.js'
import { isJsonObject } from '../protocol/json.js'
import { LONGEST_WAIT_MS } from '../time/policy.js'
import { isPassingStatus } from '../time/retry.js'
import { httpMessage, requestMethod } from './httpMessage.js'
import { HttpError, RpcError } from './wireErrors.js'

type Fetch = Environment['fetch']

/** The request by which a client finds out which revision a server speaks. */
export const PROBE = 'server/discover'

/**
 * Keeps the `Retry-After` of a refused `tools/call` or `tasks/*` request in its error: the SDK's transport drops the
 * headers. That of a refused connection goes to `onConnectAfter`, in ms. A `server/discover` that is answered
 * with such a status fails: the SDK would take the status for that of a server which knows earlier revisions only.
 * From another origin the header is readable only if the server exposes it.
 */
export function withRetryAfter(fetch: Fetch, now: () => number, onConnectAfter?: (ms: number) => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { ok, status, headers } = response
    const method = requestMethod(init)
    if (method === PROBE) await refuseErrorOfRevision(response)
    if (ok || status < 408) return response
    const header = headers.get('retry-after')
    const retryAfterMs = retryAfterOf(response, now())
    if (retryAfterMs !== undefined && (method === PROBE || method === 'initialize')) onConnectAfter?.(retryAfterMs)
    const isTask = method.startsWith('tasks/') || method === 'subscriptions/listen'
    const isKept = method === PROBE ? isPassingStatus(status) : header !== null && (isTask || method === 'tools/call')
    if (!isKept) return response
    if (isTask) await response.body?.cancel()
    throw new HttpError(status, isTask ? '' : await response.text(), retryAfterMs)
  }
}

/**
 * A header that did not arrive, and a capability that is missing, are found by servers of 2026-07-28 alone. The SDK takes them for
 * signs of an earlier revision, as it does every error that it does not know.
 */
export const isOfRevision = (code: unknown): boolean => code === HEADER_MISMATCH || code === MISSING_CLIENT_CAPABILITY

async function refuseErrorOfRevision(response: Response): Promise<void> {
  if (!response.headers.get('content-type')?.includes('json')) return
  const { error } = httpMessage(await response.clone().text())
  if (!isJsonObject(error) || !isOfRevision(error['code'])) return
  throw new RpcError(Number(error['code']), String(error['message']), error['data'])
}

/**
 * Either form of `Retry-After` (RFC 9110, section 10.2.3), seconds or an HTTP date, in ms from now, a day at most. Undefined where it is
 * neither. A date is by the clock of the server, which `Date` says; from another origin that is readable only if the server exposes it.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const header = headers.get('retry-after') ?? ''
  const sentAt = Date.parse(headers.get('date') ?? '') || now
  const isSeconds = /^\d+$/.test(header.trim())
  const delay = isSeconds ? Number(header) * 1000 : Date.parse(header) - sentAt
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(0, delay), LONGEST_WAIT_MS)
}

/** How long a server that refuses a request asks to be left alone, in ms, where it is a status that may pass. */
export function retryAfterOf({ status, headers }: Response, now: number): number | undefined {
  return status < 408 ? undefined : parseRetryAfter(headers, now)
}
