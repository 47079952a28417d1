import type { FetchLike } from '@modelcontextprotocol/client'
import { LONGEST_WAIT_MS } from '../../call/pollPolicy.js'
import { TaskRequestError } from '../../protocol/errors.js'
import { requestMethod } from './httpMessage.js'

/**
 * Makes `Retry-After` of a refused `tasks/*` request heard: the SDK's transport drops the headers of
 * an error. Everything else passes untouched. From another origin the header is readable only if the
 * server exposes it.
 */
export function withRetryAfter(fetch: FetchLike, now: () => number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    const header = response.headers.get('retry-after')
    if (response.ok || header === null || response.status < 408) return response
    if (!requestMethod(init).startsWith('tasks/')) return response
    await response.body?.cancel()
    throw new TaskRequestError(`The server answered ${response.status} and asked for patience.`, {
      kind: 'http',
      status: response.status,
      retryAfterMs: parseRetryAfter(header, now()),
    })
  }
}

/** Either form of `Retry-After`, seconds or an HTTP date, in ms from now, a day at most. Undefined where it is neither. */
export function parseRetryAfter(header: string, now: number): number | undefined {
  const isSeconds = /^\d+$/.test(header.trim())
  const delay = isSeconds ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(0, delay), LONGEST_WAIT_MS)
}
