import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

const SESSION_HEADER = 'mcp-session-id'

/** The capabilities by which clients answer input requests, and their parts. */
const INPUT_CAPABILITIES = { elicitation: ['form', 'url'], sampling: ['tools', 'context'], roots: [] } as const

/**
 * A session of a revision before 2026-07-28, whose clients say once, with `initialize`, which input requests they answer. The id
 * of the session says it again with each request, so no process has to remember the session. It proves nothing, and need not.
 */
export function withSession(response: Response, initialize: JsonObject): Response {
  const declared = inputCapabilities(initialize['capabilities'])
  if (!response.ok || Object.keys(declared).length === 0) return response
  const id = `${crypto.randomUUID()}.${btoa(JSON.stringify(declared))}`
  const headers = new Headers(response.headers)
  headers.set(SESSION_HEADER, id)
  return new Response(response.body, { status: response.status, headers })
}

/** What the client of a session has declared; nothing where there is no session, or one of another server. */
export function sessionCapabilities({ headers }: Request): ClientCapabilities {
  const [, declared = ''] = (headers.get(SESSION_HEADER) ?? '').split('.')
  try {
    return inputCapabilities(JSON.parse(atob(declared)))
  } catch {
    return {}
  }
}

function inputCapabilities(declared: unknown): ClientCapabilities {
  if (!isJsonObject(declared)) return {}
  const known = Object.entries(INPUT_CAPABILITIES).flatMap(([name, parts]) => {
    const capability = declared[name]
    if (!isJsonObject(capability)) return []
    return [
      [name, Object.fromEntries(parts.filter((part) => isJsonObject(capability[part])).map((part) => [part, {}]))],
    ]
  })
  return Object.fromEntries(known)
}
