import { LONGEST_WAIT_MS } from '../call/pollPolicy.js'
import type { Environment } from '../environment/environment.js'
import { TaskRequestError } from '../protocol/errors.js'
import { requestMethod } from './httpMessage.js'

type Fetch = Environment['fetch']

/** Requests with which a connection begins. */
const CONNECTING: readonly string[] = ['server/discover', 'initialize']

/**
 * Puts the `Retry-After` of a refused `tasks/*` request into its error: the SDK's transport drops the headers of
 * an error. Everything else passes untouched; that of a refused connection goes to `onConnectAt`, in ms since the epoch.
 * From another origin the header is readable only if the server exposes it.
 */
export function withRetryAfter(fetch: Fetch, now: () => number, onConnectAt?: (at: number) => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    const header = response.headers.get('retry-after')
    if (response.ok || header === null || response.status < 408) return response
    const method = requestMethod(init)
    const retryAfterMs = parseRetryAfter(header, now())
    if (CONNECTING.includes(method)) onConnectAt?.(now() + (retryAfterMs ?? 0))
    if (!method.startsWith('tasks/')) return response
    await response.body?.cancel()
    throw new TaskRequestError(`The server answered ${response.status} with Retry-After.`, {
      kind: 'http',
      status: response.status,
      retryAfterMs,
    })
  }
}

/** Either form of `Retry-After`, seconds or an HTTP date, in ms from now, a day at most. Undefined where it is neither. */
export function parseRetryAfter(header: string, now: number): number | undefined {
  const isSeconds = /^\d+$/.test(header.trim())
  const delay = isSeconds ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(0, delay), LONGEST_WAIT_MS)
}
