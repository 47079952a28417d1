import { type FetchLike, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { LONGEST_WAIT_MS } from '../../call/pollPolicy.js'
import { TaskRequestError } from '../../protocol/errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'

/** The status of what is accepted and not answered. The SDK looks at nothing else then. */
const ACCEPTED = 202

/**
 * Makes a `tools/call` fail whose HTTP exchange is over and brought no response to it: a 202, whatever comes with
 * it, JSON under another id, or a message that is no response. The SDK would wait for its timeout, which a task does not have. A stream is
 * left alone; its transport says when it ends.
 */
export function answeredFetch(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.ok || requestMethod(init) !== 'tools/call') return response
    const isAccepted = response.status === ACCEPTED
    const isStream = response.headers.get('content-type')?.includes('text/event-stream')
    if (isStream && !isAccepted && response.body !== null) return response
    if (isAccepted) await response.body?.cancel()
    const text = isAccepted ? '' : await response.text()
    const message = httpMessage(text)
    const isResponse = 'result' in message || 'error' in message
    if (!isResponse || message['id'] !== httpMessage(init?.body)['id']) {
      throw new SdkError(
        SdkErrorCode.ClientHttpUnexpectedContent,
        'The response to tools/call is not about the request.',
      )
    }
    const { status, statusText, headers } = response
    return new Response(text, { status, statusText, headers })
  }
}

/** Requests with which a connection begins. */
const CONNECTING: readonly string[] = ['server/discover', 'initialize']

/**
 * Puts the `Retry-After` of a refused `tasks/*` request into its error: the SDK's transport drops the headers of
 * an error. Everything else passes untouched; that of a refused connection goes to `onConnectAt`, in ms since the epoch.
 * From another origin the header is readable only if the server exposes it.
 */
export function withRetryAfter(fetch: FetchLike, now: () => number, onConnectAt?: (at: number) => void): FetchLike {
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

/** The JSON-RPC message in a body; an empty one where there is none to be read. */
function httpMessage(body: unknown): JsonObject {
  if (typeof body !== 'string') return {}
  try {
    const message: unknown = JSON.parse(body)
    return isJsonObject(message) ? message : {}
  } catch {
    return {}
  }
}

/** The method of the message that a `fetch` sends: a header says it from 2026-07-28 on, before that its body alone. */
function requestMethod(init: RequestInit | undefined): string {
  return new Headers(init?.headers).get('mcp-method') ?? String(httpMessage(init?.body)['method'])
}
