import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SpawnedServer, spawnServer } from './support/spawnServer.js'

let server: SpawnedServer

beforeAll(async () => {
  server = await spawnServer(fileURLToPath(new URL('../../demo/server/standalone.ts', import.meta.url)))
}, 60_000)

afterAll(() => server.stop())

/** Asks what the server can do, under any headers: `fetch` would not let us choose `Host`. */
function discover(headers: Record<string, string>, method = 'POST'): Promise<{ status: number; allowed: unknown }> {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope } }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      server.url,
      {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'server/discover',
          ...headers,
        },
      },
      (response) => {
        response.resume()
        resolve({ status: response.statusCode ?? 0, allowed: response.headers['access-control-allow-origin'] })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(method === 'POST' ? JSON.stringify(body) : undefined)
  })
}

describe('npm run server', () => {
  it('answers programs and pages of this machine, whatever port they are on', async () => {
    expect(await discover({})).toEqual({ status: 200, allowed: undefined })
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1:8080', 'http://[::1]:3000']) {
      expect(await discover({ origin })).toEqual({ status: 200, allowed: '*' })
    }
  })

  it('lets such a page send what polling takes and read what it needs, and asks it for no token first', async () => {
    const origin = 'http://localhost:5173'
    const preflight = await fetch(server.url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-method,mcp-name,mcp-param-region',
      },
    })
    expect(preflight.status).toBe(204)
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ')
    for (const name of ['authorization', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-param-region']) {
      expect(allowed).toContain(name)
    }
    expect(preflight.headers.get('access-control-max-age')).toBe('86400')
    const { headers } = await fetch(server.url, { method: 'POST', headers: { origin } })
    const readable = headers.get('access-control-expose-headers')?.split(', ')
    expect(readable).toEqual(expect.arrayContaining(['Retry-After', 'Mcp-Session-Id', 'Mcp-Protocol-Version']))
  })

  it.each([
    ['a name that somebody has pointed at this machine', { host: 'evil.example' }],
    ['a page of another machine', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
  ])('turns away %s', async (_, headers) => {
    expect(await discover(headers)).toEqual({ status: 403, allowed: undefined })
  })
})
