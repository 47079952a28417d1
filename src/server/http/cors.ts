import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { REFUSED } from '../base/errorCodes.js'
import { errorResponse } from './jsonRpcResponse.js'
import { isOwnOrigin } from './ownOrigin.js'

/** The origins that may call the server from a browser. */
export interface CorsOptions {
  /** An origin such as `https://app.example`, a list of them, or `*`. */
  origin: string | readonly string[]
}

/** Which pages may call a server, and what makes it usable from other origins. */
export interface Cors {
  /**
   * The 403 for a page of an origin that may not call the server; undefined for any other request (MCP 2026-07-28,
   * "Streamable HTTP: Security"). Without the option, that is every origin but the server's own.
   */
  refusal(request: Request): Response | undefined
  /** The response to a preflight, before anything looks at credentials; undefined for any other request. */
  preflight(request: Request): Response | undefined
  /** Adds to a response what its reader needs, be it an error. */
  decorate(request: Request, response: Response): Response
}

/** Allowed together: browsers keep the permission for each, and ask no second time for `tasks/get`, which has more of them. */
const REQUEST_HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
]
/** On top of them those that tools define, such as `Mcp-Param-Region`, and what may come. */
const MCP_HEADER = /^mcp-[a-z0-9-]+$/
const ALLOWED_METHODS = 'POST, GET, DELETE, OPTIONS'
const EXPOSED_HEADERS = 'Retry-After, Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate'
/** A day: without it browsers send a preflight with nearly every poll. They cut it to what they allow. */
const MAX_AGE_SECONDS = '86400'

/**
 * The rules of the option `cors`.
 *
 * @throws {TaskConfigurationError} if an origin is invalid.
 */
export function createCors(option: boolean | CorsOptions): Cors {
  const origins = originsOf(option)
  origins.forEach(checkOrigin)
  const isOff = origins.length === 0
  const isOpen = origins.includes('*')
  const isNamed = (caller: string) => isOpen || origins.includes(caller)

  function decorate(request: Request, response: Response): Response {
    if (isOff) return response
    const { headers } = response
    const caller = request.headers.get('origin')
    if (!isOpen) headers.append('Vary', 'Origin')
    if (caller === null || !isNamed(caller)) return response
    headers.set('Access-Control-Allow-Origin', isOpen ? '*' : caller)
    headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
    return response
  }

  return {
    decorate,
    refusal(request) {
      const caller = request.headers.get('origin')
      if (caller === null || isNamed(caller) || isOwnOrigin(caller, request)) return undefined
      return decorate(request, errorResponse(undefined, { code: REFUSED, message: FOREIGN }, 403))
    },
    preflight(request) {
      if (isOff || request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method'))
        return undefined
      const response = decorate(request, new Response(null, { status: 204 }))
      const { headers } = response
      headers.append('Vary', 'Access-Control-Request-Headers')
      if (!headers.has('Access-Control-Allow-Origin')) return response
      headers.set('Access-Control-Allow-Methods', ALLOWED_METHODS)
      headers.set('Access-Control-Allow-Headers', allowedHeaders(request))
      headers.set('Access-Control-Max-Age', MAX_AGE_SECONDS)
      return response
    },
  }
}

const FOREIGN =
  'Forbidden: pages of this origin may not call the server. To let them in, name their origin in the option `cors`.'

function originsOf(option: boolean | CorsOptions): readonly string[] {
  if (option === false) return []
  const { origin } = option === true ? { origin: '*' } : option
  return typeof origin === 'string' ? [origin] : origin
}

/** What browsers send has no path and no slash at the end: anything else would never match. */
function checkOrigin(origin: string): void {
  if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return
  throw new TaskConfigurationError(
    `Failed to create the task server: \`cors.origin\` has "${origin}", which is not an origin. ` +
      'Pass scheme, host and port only, such as https://app.example.',
  )
}

/** Named one by one: `*` would not cover `Authorization`. */
function allowedHeaders(request: Request): string {
  const asked = request.headers.get('access-control-request-headers') ?? ''
  const names = asked.split(',').map((name) => name.trim().toLowerCase())
  return [...new Set([...REQUEST_HEADERS, ...names.filter((name) => MCP_HEADER.test(name))])].join(', ')
}
