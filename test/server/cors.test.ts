import { describe, expect, it, vi } from 'vitest'
import { post, readResponse } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { greet, slow } from './support/tools.js'

describe('CORS', () => {
  const origin = { origin: 'https://app.example' }

  it('[EDGE-17] is off by default', async () => {
    const t = startServer({ tools: [greet] })
    const { headers } = await t.call('greet', { name: 'Luca' }, { headers: origin })
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    const preflight = new Request('https://tasks.example/mcp', {
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': 'POST' },
    })
    expect((await t.server.fetch(preflight)).status).toBe(403)
  })

  it('lets a browser read every response, also those that refuse', async () => {
    const t = startServer({ tools: [greet, slow], cors: true, maxRequestBodySize: 1000 })
    const send = async (body: string, headers: Record<string, string>) =>
      readResponse(await t.server.fetch(post(body, headers)))
    const answers = [
      await t.call('greet', { name: 'Luca' }, { headers: origin }),
      await t.call('slow', {}, { headers: origin }),
      await t.rpc('tasks/get', { taskId: 'x' }, { headers: origin }),
      await t.rpc('tasks/get', { taskId: 'x' }, { headers: origin, capabilities: {} }),
      await t.rpc('tasks/get', { taskId: 'x' }, { headers: { ...origin, 'mcp-name': 'y' } }),
      await send('nonsense', origin),
      await send('x'.repeat(2000), origin),
      await send('{}', { ...origin, 'content-type': 'text/plain' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400, 400, 413, 415])
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
    }
  })

  it('answers a preflight without asking who it is', async () => {
    const owner = vi.fn(() => 'ann')
    const { server } = startServer({ tools: [slow], cors: true, owner })
    const headers = {
      ...origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-method,mcp-name,mcp-protocol-version',
    }
    const response = await server.fetch(new Request('https://tasks.example/mcp', { method: 'OPTIONS', headers }))
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(owner).not.toHaveBeenCalled()
  })
})
