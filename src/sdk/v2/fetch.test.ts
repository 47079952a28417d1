import type { FetchLike } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { parseRetryAfter, withRetryAfter } from '../../core/wire/retryAfter.js'
import { HttpError } from '../../core/wire/wireErrors.js'
import { answeredFetch } from './fetch.js'

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
  it.each([7, 0, 'seven'])('passes the response to the call %j on, headers and all', async (id) => {
    const response = await ask(json(id, { headers: { 'x-trace': 'a' } }), call(id))
    expect(response.status).toBe(200)
    expect(response.headers.get('x-trace')).toBe('a')
    expect(response.headers.get('content-type')).toMatch('application/json')
    await expect(response.json()).resolves.toEqual({ jsonrpc: '2.0', id, result: {} })
  })

  it('passes on the response to the call among others, as the SDK takes them', async () => {
    const messages = [
      { jsonrpc: '2.0', method: 'notifications/message' },
      { jsonrpc: '2.0', id: 7, result: {} },
    ]
    const response = await ask(Response.json(messages), call(7))
    await expect(response.json()).resolves.toEqual(messages)
  })

  it.each([
    ['under another id', json(8)],
    ['without one among others', Response.json([null, { jsonrpc: '2.0', id: 8, result: {} }])],
    ['under an id of another type', json('7')],
    ['without an id', Response.json({ jsonrpc: '2.0', result: {} })],
    ['that is a request', Response.json({ jsonrpc: '2.0', id: 7, method: 'ping' })],
    ['of a stream without a body', new Response(null, { headers: { 'content-type': 'text/event-stream' } })],
    ['of an empty 202', new Response(null, { status: 202 })],
    ['of a 202 with a stream', new Response('', { status: 202, headers: { 'content-type': 'text/event-stream' } })],
    ['of a 202 with the answer', json(7, { status: 202 })],
    ['of an empty 200', new Response('')],
    ['that is no JSON', new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })],
  ])('fails a call with a response %s: nothing else would end it', async (_, response) => {
    await expect(ask(response, call(7))).rejects.toMatchObject({ code: 'CLIENT_HTTP_UNEXPECTED_CONTENT' })
  })

  it('ends the stream of a 202, which nobody reads', async () => {
    const cancel = vi.fn()
    const stream = new Response(new ReadableStream({ cancel }), { status: 202 })
    await expect(ask(stream, call(7))).rejects.toMatchObject({ code: 'CLIENT_HTTP_UNEXPECTED_CONTENT' })
    expect(cancel).toHaveBeenCalledOnce()
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

const NOW = Date.UTC(2026, 6, 28, 12, 0, 0)

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['1', 1000],
    ['120', 120_000],
    [' 7 ', 7000],
    ['Tue, 28 Jul 2026 12:00:30 GMT', 30_000],
    ['Tue, 28 Jul 2026 12:00:30 +0000', 30_000],
    ['Tue, 28 Jul 2026 11:59:00 GMT', 0],
    ['2026-07-28T12:01:00Z', 60_000],
    ['soon', undefined],
    ['', undefined],
  ])('%j is %s ms from now', (header, expected) => {
    expect(parseRetryAfter(new Headers({ 'retry-after': header }), NOW)).toBe(expected)
  })

  it.each([
    ['an hour ahead', 'Tue, 28 Jul 2026 13:00:00 GMT', 'Tue, 28 Jul 2026 13:00:30 GMT', 30_000],
    ['an hour behind', 'Tue, 28 Jul 2026 11:00:00 GMT', 'Tue, 28 Jul 2026 11:00:30 GMT', 30_000],
    ['that says nothing', 'now', 'Tue, 28 Jul 2026 12:00:30 GMT', 30_000],
  ])(
    'counts a date from the Date of the response, where that can be read: a server %s',
    (_, date, header, expected) => {
      expect(parseRetryAfter(new Headers({ date, 'retry-after': header }), NOW)).toBe(expected)
      expect(parseRetryAfter(new Headers({ date, 'retry-after': '7' }), NOW)).toBe(7000)
    },
  )

  it.each(['9'.repeat(400), '9'.repeat(40)])('is a time that a clock can hold', (header) => {
    const delay = parseRetryAfter(new Headers({ 'retry-after': header }), NOW) ?? 0
    expect(Number.isFinite(delay)).toBe(true)
  })
})

describe('withRetryAfter', () => {
  const ask = (status: number, headers: Record<string, string>, method: string | undefined) => {
    const fetch: FetchLike = () => Promise.resolve(new Response(status === 204 ? null : 'body', { status, headers }))
    const init = { method: 'POST', headers: { ...(method && { 'Mcp-Method': method }) } }
    return withRetryAfter(fetch, () => NOW)('https://example.com/mcp', init)
  }

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel', 'tools/call'])(
    'makes the wish of a server heard for %s',
    async (method) => {
      for (const status of [408, 429, 500, 503]) {
        const error = await ask(status, { 'Retry-After': '7' }, method).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(HttpError)
        expect(error).toMatchObject({ status, retryAfterMs: 7000 })
      }
    },
  )

  it('reads a date by the clock of the page', async () => {
    const headers = { 'Retry-After': 'Tue, 28 Jul 2026 12:01:00 GMT' }
    await expect(ask(503, headers, 'tasks/get')).rejects.toMatchObject({ retryAfterMs: 60_000 })
  })

  it('goes on without a time where the header makes no sense', async () => {
    await expect(ask(503, { 'Retry-After': 'soon' }, 'tasks/get')).rejects.toMatchObject({ retryAfterMs: undefined })
  })

  it.each([
    ['an answer', 200, { 'Retry-After': '7' }, 'tasks/get'],
    ['a refusal without the header', 503, {}, 'tasks/get'],
    ['a refusal that waiting does not help', 401, { 'Retry-After': '7' }, 'tasks/get'],
    ['a JSON-RPC error', 400, { 'Retry-After': '7' }, 'tasks/get'],
    ['a server that knows no server/discover', 405, {}, 'server/discover'],
    ['a request of the legacy era', 503, { 'Retry-After': '7' }, undefined],
  ])('passes on %s untouched', async (_, status, headers, method) => {
    const response = await ask(status, headers as Record<string, string>, method)
    expect(response.status).toBe(status)
    await expect(response.text()).resolves.toBe('body')
  })

  it.each([408, 425, 429, 503])(
    'fails a server/discover that is answered %i, with or without the header',
    async (status) => {
      await expect(ask(status, {}, 'server/discover')).rejects.toMatchObject({ status, data: { text: 'body' } })
      await expect(ask(status, { 'Retry-After': '7' }, 'server/discover')).rejects.toMatchObject({ retryAfterMs: 7000 })
      await expect(ask(status, {}, 'initialize')).resolves.toMatchObject({ status })
    },
  )

  it.each([
    ['server/discover', [7000]],
    ['initialize', [7000]],
    ['tools/call', []],
    ['tasks/get', []],
  ])('tells of %s after which time a refused connection may be tried again', async (method, waits) => {
    const after: number[] = []
    // Without a body, as some gateways answer.
    const fetch: FetchLike = async () => new Response(null, { status: 503, headers: { 'Retry-After': '7' } })
    const init = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) }
    const refused = withRetryAfter(
      fetch,
      () => NOW,
      (ms) => after.push(ms),
    )('https://example.com/mcp', init)
    const status = await refused.catch((error: unknown) => error)
    expect(status).toMatchObject({ status: 503 })
    expect(after).toEqual(waits)
  })

  it('passes on what fetch throws', async () => {
    const down = new TypeError('fetch failed')
    await expect(withRetryAfter(() => Promise.reject(down), Date.now)('https://example.com')).rejects.toBe(down)
  })

  it('lets go of the connection that it does not read', async () => {
    let isCancelled = false
    const body = new ReadableStream({
      cancel: () => {
        isCancelled = true
      },
    })
    const response = new Response(body, { status: 503, headers: { 'Retry-After': '1' } })
    const init = { headers: { 'mcp-method': 'tasks/get' } }
    await withRetryAfter(() => Promise.resolve(response), Date.now)('https://example.com', init).catch(() => {})
    expect(isCancelled).toBe(true)
  })
})
