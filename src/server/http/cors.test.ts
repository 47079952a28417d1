import { describe, expect, it } from 'vitest'
import { createCors } from './cors.js'

const request = (headers: Record<string, string>, method = 'OPTIONS') =>
  new Request('https://tasks.example/mcp', { method, headers })

const preflight = (headers: Record<string, string> = {}) =>
  request({ origin: 'https://app.example', 'access-control-request-method': 'POST', ...headers })

describe('createCors', () => {
  it('is off unless asked for', () => {
    const cors = createCors(false)
    expect(cors.preflight(preflight())).toBeUndefined()
    const response = cors.decorate(request({ origin: 'https://tasks.example' }, 'POST'), new Response())
    expect(Object.fromEntries(response.headers)).toEqual({})
  })

  it('answers a preflight with everything that polling from a browser needs', () => {
    const response = createCors(true).preflight(preflight())
    expect(response?.status).toBe(204)
    expect(Object.fromEntries(response?.headers ?? [])).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, GET, DELETE, OPTIONS',
      'access-control-allow-headers':
        'accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
      'access-control-max-age': '86400',
      'access-control-expose-headers': 'Retry-After, Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate',
      vary: 'Access-Control-Request-Headers',
    })
  })

  it('allows every header of MCP by name and no other', () => {
    const asked = 'Content-Type, authorization,mcp-name,mcp-param-Region,mcp-to-come,x-evil,mcp,x-mcp-name'
    const response = createCors(true).preflight(preflight({ 'access-control-request-headers': asked }))
    expect(response?.headers.get('access-control-allow-headers')).toBe(
      'accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, mcp-param-region, mcp-to-come',
    )
  })

  it('leaves an OPTIONS that is no preflight alone', () => {
    expect(createCors(true).preflight(request({ origin: 'https://app.example' }))).toBeUndefined()
    expect(createCors(true).preflight(request({}, 'POST'))).toBeUndefined()
  })

  it('names the origin where not every origin may call, and says so to caches', () => {
    const cors = createCors({ origin: ['https://app.example', 'http://localhost:5173'] })
    const allowed = cors.decorate(request({ origin: 'http://localhost:5173' }, 'POST'), new Response())
    expect(allowed?.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    expect(allowed?.headers.get('vary')).toBe('Origin')
  })

  it('lets nobody else in', () => {
    const cors = createCors({ origin: 'https://app.example' })
    const refused = cors.preflight(preflight({ origin: 'https://evil.example' }))
    expect(Object.fromEntries(refused?.headers ?? [])).toEqual({ vary: 'Origin, Access-Control-Request-Headers' })
    const response = cors.decorate(request({ origin: 'null' }, 'POST'), new Response())
    expect(response?.headers.has('access-control-allow-origin')).toBe(false)
  })

  it('adds nothing for callers that are no browsers', () => {
    const response = createCors(true).decorate(request({}, 'POST'), new Response())
    expect(Object.fromEntries(response?.headers ?? [])).toEqual({})
  })

  it.each(['https://app.example/', 'app.example', 'https://app.example/app', ''])(
    'says what is wrong with %j',
    (origin) => {
      expect(() => createCors({ origin })).toThrow(
        `Failed to create the task server: \`cors.origin\` has "${origin}", which is not an origin. Pass scheme, host and port only, such as https://app.example.`,
      )
    },
  )
})
