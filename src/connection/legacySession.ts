import { type FetchLike, SdkHttpError } from '@modelcontextprotocol/client'
import { SESSION_PREFIX } from '../protocol/sessionTask.js'

/** Names the session of one message on its way to {@link withSessionHeader}; it never leaves the page. */
const SESSION_HEADER = 'taskwire-session'

const MCP_SESSION_HEADER = 'mcp-session-id'

/** A task of 2025-11-25, which a server may keep for one session only. */
export interface TaskAddress {
  /** The id that the server knows. */
  readonly taskId: string
  /** The session that it knows it in; undefined: that of the connection, or none. */
  readonly sessionId: string | undefined
}

/**
 * The id of a task as everybody above knows it. Many servers find a task only in the session that
 * made it, and a reload and every tab are a session each: so the id says which. A session id is visible
 * ASCII, so a space ends it.
 */
export function encodeTaskAddress({ taskId, sessionId }: TaskAddress): string {
  return sessionId === undefined ? taskId : `${SESSION_PREFIX}${sessionId} ${taskId}`
}

/** The address that an id stands for. One that a person brought along has none and is used as it is. */
export function decodeTaskAddress(id: string): TaskAddress {
  const end = id.indexOf(' ')
  if (!id.startsWith(SESSION_PREFIX) || end === -1) return { taskId: id, sessionId: undefined }
  return { taskId: id.slice(end + 1), sessionId: id.slice(SESSION_PREFIX.length, end) }
}

/** Has a message go out in this session instead of the connection's own. */
export function sessionHeaders(sessionId: string | undefined): Record<string, string> | undefined {
  return sessionId === undefined ? undefined : { [SESSION_HEADER]: sessionId }
}

/** Sends what carries {@link sessionHeaders} in the session that they name: the transport knows one only. */
export function withSessionHeader(fetch: FetchLike): FetchLike {
  return (url, init) => {
    const headers = new Headers(init?.headers)
    const sessionId = headers.get(SESSION_HEADER)
    if (sessionId === null) return fetch(url, init)
    headers.delete(SESSION_HEADER)
    headers.set(MCP_SESSION_HEADER, sessionId)
    return fetch(url, { ...init, headers })
  }
}

/** Whether the server knows the session no more. 404 is what the specification asks for; the examples of SDK v1 answer 400. */
export function isSessionLost(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data['text'])))
}
