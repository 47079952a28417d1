import type { FetchLike } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { answeredFetch } from './answeredFetch.js'

const call = (id: string | number, method = 'tools/call') => ({
  method: 'POST',
  headers: { 'Mcp-Method': method },
  body: JSON.stringify({ jsonrpc: '2.0', id, method }),
})
const answers =
  (response: Response): FetchLike =>
  () =>
    Promise.resolve(response)
const ask = (response: Response, init: RequestInit) => answeredFetch(answers(response))('https://example.com/mcp', init)
const json = (id: unknown, init?: ResponseInit) => Response.json({ jsonrpc: '2.0', id, result: {} }, init)

describe('answeredFetch', () => {
  it.each([7, 0, 'seven'])('passes the answer to the call %j on, headers and all', async (id) => {
    const response = await ask(json(id, { headers: { 'x-trace': 'a' } }), call(id))
    expect(response.status).toBe(200)
    expect(response.headers.get('x-trace')).toBe('a')
    expect(response.headers.get('content-type')).toMatch('application/json')
    await expect(response.json()).resolves.toEqual({ jsonrpc: '2.0', id, result: {} })
  })

  it.each([
    ['under another id', json(8)],
    ['under an id of another type', json('7')],
    ['without an id', Response.json({ jsonrpc: '2.0', result: {} })],
    ['of an empty 202', new Response(null, { status: 202 })],
    ['of a 202 with a stream', new Response('', { status: 202, headers: { 'content-type': 'text/event-stream' } })],
    ['of a 202 with the answer', json(7, { status: 202 })],
    ['of an empty 200', new Response('')],
    ['that is no JSON', new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })],
  ])('fails a call with an answer %s: nothing else would end it', async (_, response) => {
    await expect(ask(response, call(7))).rejects.toMatchObject({ code: 'CLIENT_HTTP_UNEXPECTED_CONTENT' })
  })

  it('fails a call of the legacy era the same way', async () => {
    const { body } = call(7)
    await expect(ask(json(8), { method: 'POST', body })).rejects.toMatchObject({
      code: 'CLIENT_HTTP_UNEXPECTED_CONTENT',
    })
  })

  it.each([
    [
      'a stream, which says itself when it ends',
      new Response('data: x\n\n', { headers: { 'content-type': 'text/event-stream' } }),
      call(7),
    ],
    ['a refusal', json(8, { status: 400 }), call(7)],
    ['another method', json(8), call(7, 'tasks/get')],
    ['a request of the legacy era', json(8), { method: 'POST', body: '{"id":7,"method":"tasks/get"}' }],
    ['an answer of the legacy era', json(8), { method: 'POST', body: '{"id":7,"result":{"method":"tools/call"}}' }],
  ])('leaves %s alone', async (_, response, init) => {
    expect(await ask(response, init)).toBe(response)
  })
})
