import type { FetchLike } from '@modelcontextprotocol/client'
import { headersIn } from '../../core/wire/httpMessage.js'
import { isHttpError } from '../../core/wire/wireErrors.js'

/** Names the session of one message on its way to {@link withSessionHeader}; it never leaves the page. */
const SESSION_HEADER = 'taskwire-session'

const MCP_SESSION_HEADER = 'mcp-session-id'

/** Has a message go out in this session instead of the connection's own. */
export function sessionHeaders(sessionId: string | undefined): Record<string, string> | undefined {
  return sessionId === undefined ? undefined : { [SESSION_HEADER]: sessionId }
}

/** Sends what carries {@link sessionHeaders} in the session that they name: the transport knows one only. */
export function withSessionHeader(fetch: FetchLike): FetchLike {
  return (url, init) => {
    const sessionId = headersIn(init).get(SESSION_HEADER)
    if (sessionId === null) return fetch(url, init)
    const headers = new Headers(init?.headers)
    headers.delete(SESSION_HEADER)
    headers.set(MCP_SESSION_HEADER, sessionId)
    return fetch(url, { ...init, headers })
  }
}

/**
 * True if the server no longer knows the session. 404 is what the specification asks for; the examples of SDK v1
 * answer 400, and so does its transport where one is for all: it has seen no client yet.
 */
export function isSessionLost(error: unknown): boolean {
  if (!isHttpError(error)) return false
  return (
    error.status === 404 || (error.status === 400 && /session|server not initialized/i.test(String(error.data['text'])))
  )
}
