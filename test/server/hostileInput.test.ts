import { describe, expect, it } from 'vitest'
import { type Json, post, type RpcResponse, readResponse, rpcRequest } from './support/rpc.js'
import { type ServerUnderTest, startServer } from './support/serverUnderTest.js'
import { greet, slow } from './support/tools.js'

async function send(
  { server }: ServerUnderTest,
  body: string,
  headers?: Record<string, string | null>,
): Promise<RpcResponse> {
  return readResponse(await server.fetch(post(body, headers)))
}

describe('hostile input', () => {
  it('does not say that it is JSON', async () => {
    const t = startServer({ tools: [slow] })
    for (const type of [null, 'text/plain', 'application/json-patch+json']) {
      const { status, error } = await send(t, '{}', { 'content-type': type })
      expect({ status, code: error?.code }).toEqual({ status: 415, code: -32000 })
    }
    const answer = await t.rpc('tools/list', {}, { headers: { 'content-type': 'application/json; charset=utf-8' } })
    expect(answer.status).toBe(200)
  })

  it.each(['', 'nonsense', '{"jsonrpc": "2.0", ', '{"a":1}{"b":2}'])('is no JSON: %j', async (body) => {
    const { status, error } = await send(startServer({ tools: [slow] }), body)
    expect({ status, code: error?.code }).toEqual({ status: 400, code: -32700 })
  })

  it.each(['null', '5', '"text"', '{}', '{"jsonrpc":"1.0","id":1,"method":"tasks/get"}', '[]'])(
    'is no JSON-RPC: %s',
    async (body) => {
      const { status, error } = await send(startServer({ tools: [slow] }), body)
      expect({ status, code: error?.code }).toEqual({ status: 400, code: -32600 })
    },
  )

  it('hides requests in a batch', async () => {
    const t = startServer({ tools: [slow] })
    const request = (await rpcRequest('tools/call', { name: 'slow', arguments: {} }).json()) as Json
    const { status, error } = await send(t, JSON.stringify([request, request]), {
      'mcp-protocol-version': '2026-07-28',
    })
    expect({ status, code: error?.code }).toEqual({ status: 400, code: -32600 })
  })

  it('[EDGE-18] is too large, whether it says so or not', async () => {
    const t = startServer({ tools: [greet], maxRequestBodySize: 1000 })
    const large = JSON.stringify({ padding: 'x'.repeat(1000) })
    const stream = new Blob([large]).stream()
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: stream, duplex: 'half' }
    const chunked = await readResponse(
      await t.server.fetch(new Request('https://tasks.example/mcp', init as RequestInit)),
    )
    for (const { status, error } of [chunked, await send(t, large, { 'content-length': '2000' })]) {
      expect({ status, error }).toEqual({
        status: 413,
        error: { code: -32000, message: 'Payload too large: the body may have at most 1000 bytes' },
      })
    }
    expect((await t.call('greet', { name: 'Luca' })).status).toBe(200)
  })

  it('breaks off in the middle', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('connection lost')) })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' }
    const { server } = startServer({ tools: [slow] })
    const answer = await readResponse(await server.fetch(new Request('https://tasks.example/mcp', init as RequestInit)))
    expect(answer).toMatchObject({ status: 400, error: { code: -32700 } })
  })

  it('poisons no prototype', async () => {
    const t = startServer({ tools: [slow] })
    const taskId = await t.start('slow')
    const request = rpcRequest('tasks/update', { taskId, inputResponses: {} })
    const body = (await request.text()).replace(
      '"inputResponses":{}',
      '"inputResponses":{"__proto__":{"polluted":true}},"__proto__":{"polluted":true}',
    )
    await t.server.fetch(post(body, Object.fromEntries(request.headers)))
    expect(({} as Json)['polluted']).toBeUndefined()
  })

  it('claims to have been parsed already', async () => {
    const t = startServer({ tools: [slow] })
    const request = rpcRequest('tools/call', { name: 'slow', arguments: {} })
    const parsedBody: unknown = await request.clone().json()
    const { result } = await readResponse(await t.server.fetch(request, { parsedBody }))
    expect(result).toMatchObject({ resultType: 'task' })
  })
})
