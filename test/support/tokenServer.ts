import { createHash } from 'node:crypto'
import type { FetchLike } from '@modelcontextprotocol/client'
import { vi } from 'vitest'
import type { ScriptedServer } from './scriptedServer.js'

/** An MCP server that takes no request without a token, and the authorization server that gives tokens out: in memory. */
export interface TokenServer {
  /** Pass it as `transportOptions.fetch`. What is refused does not arrive at the MCP server. */
  readonly fetch: FetchLike
  /** Access tokens that the MCP server takes. */
  valid: ReadonlySet<string>
  /** Methods that need no token. @default none */
  open: readonly string[]
  /** What the MCP server answers without a token. @default 401, with where to sign in */
  refusal: () => Response
  /** What the authorization server answers at its token endpoint. @default a new pair of tokens, the only valid one */
  grant: (form: URLSearchParams) => Response
  /** The methods of the requests that were refused. */
  readonly refused: readonly string[]
  /** How many pairs of tokens it has given out. */
  readonly issued: number
  /** Requests to the authorization server. */
  readonly asked: readonly { readonly path: string; readonly body: string; readonly headers: Headers }[]
  /** True while the authorization server cannot be reached. */
  isDown: boolean
}

const CHALLENGE = 'Bearer resource_metadata="https://tasks.example/about-sign-in", scope="tasks"'

/** Puts a server whose URL ends with `/mcp` behind tokens. A refresh token `spent` is refused. */
export function createTokenServer(server: ScriptedServer): TokenServer {
  hashInTheEventLoop()
  const asked: { path: string; body: string; headers: Headers }[] = []
  const refused: string[] = []
  let issued = 0
  const tokens: TokenServer = {
    valid: new Set(),
    open: [],
    refusal: () => new Response('Sign in', { status: 401, headers: { 'www-authenticate': CHALLENGE } }),
    grant: (form) => {
      if (form.get('refresh_token') === 'spent') return Response.json({ error: 'invalid_grant' }, { status: 400 })
      issued += 1
      tokens.valid = new Set([`access-secret-${issued}`])
      return Response.json({
        access_token: `access-secret-${issued}`,
        refresh_token: `refresh-secret-${issued}`,
        token_type: 'Bearer',
      })
    },
    get issued() {
      return issued
    },
    asked,
    refused,
    isDown: false,
    fetch: async (input, init) => {
      const { origin, pathname } = new URL(String(input))
      const headers = new Headers(init?.headers)
      const body = typeof init?.body === 'string' || init?.body instanceof URLSearchParams ? String(init.body) : ''
      if (pathname === '/mcp') {
        const token = headers.get('authorization')?.replace('Bearer ', '') ?? ''
        if (init?.method !== 'POST' || tokens.valid.has(token)) return server.fetch(input, init)
        const method = methodOf(body)
        if (tokens.open.includes(method)) return server.fetch(input, init)
        refused.push(method)
        return tokens.refusal()
      }
      asked.push({ path: pathname, body, headers })
      if (tokens.isDown) throw new TypeError('fetch failed')
      if (pathname === '/about-sign-in')
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] })
      if (pathname.startsWith('/.well-known/oauth-authorization-server')) return Response.json(metadataOf(origin))
      if (pathname === '/register')
        return Response.json({ ...JSON.parse(body), client_id: 'registered' }, { status: 201 })
      if (pathname === '/token') return tokens.grant(new URLSearchParams(body))
      return new Response(null, { status: 404 })
    },
  }
  return tokens
}

const methodOf = (body: string) => String((JSON.parse(body) as { method?: unknown }).method)

const metadataOf = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
})

/** The platform hashes outside of the event loop, which no simulated time waits for. */
function hashInTheEventLoop(): void {
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (_, data) => {
    const digest = createHash('sha256').update(new Uint8Array(data as ArrayBuffer))
    return new Uint8Array(digest.digest()).buffer
  })
}
