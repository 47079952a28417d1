import { describe, expect, it } from 'vitest'
import { createSimulatedEnvironment } from '../../../testing.js'
import { type ExchangeOptions, exchange } from './exchange.js'

const RESPONSE = { jsonrpc: '2.0', id: 7, result: { done: true } }
const HINT = { jsonrpc: '2.0', method: 'notifications/message' }
const ERROR = { jsonrpc: '2.0', id: 7, error: { code: -32602, message: 'no such tool', data: { a: 1 } } }
const JSON_TYPE = 'application/json'

const answer = (body: unknown, type: string | null = JSON_TYPE, status = 200): Response => {
  const text = body === null ? null : typeof body === 'string' ? body : JSON.stringify(body)
  // A text brings a type along.
  const bytes = text === null ? null : new TextEncoder().encode(text)
  return new Response(bytes, { status, headers: type === null ? {} : { 'content-type': type } })
}

const events = (...messages: unknown[]): string =>
  messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')

/** The messages that were yielded, and why there were no more. */
async function read(response: Response, headers?: ExchangeOptions['headers']) {
  const sent: { url: string; init: RequestInit | undefined }[] = []
  const messages: unknown[] = []
  let error: unknown
  const options: ExchangeOptions = {
    url: () => new URL('https://tasks.example/mcp'),
    fetch: async (url, init) => {
      sent.push({ url: String(url), init })
      return response
    },
    headers,
    now: Date.now,
    environment: createSimulatedEnvironment().environment,
  }
  const request = { id: 7, method: 'tools/list', params: { cursor: 'a' } }
  try {
    await exchange(options, request, new AbortController().signal, (message) => messages.push(message) < 0)
  } catch (cause) {
    error = cause
  }
  return { messages, error, sent }
}

describe('exchange()', () => {
  it('sends one POST, with the headers of the app and those of MCP', async () => {
    const { sent } = await read(answer(RESPONSE), { 'x-app': '1', 'content-type': 'text/plain' })
    const [{ url, init } = {}] = sent
    expect(url).toBe('https://tasks.example/mcp')
    expect(init).toMatchObject({ method: 'POST', signal: expect.any(AbortSignal) })
    expect(JSON.parse(String(init?.body))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/list',
      params: { cursor: 'a' },
    })
    expect(Object.fromEntries(new Headers(init?.headers))).toEqual({
      accept: 'application/json, text/event-stream',
      'content-type': JSON_TYPE,
      'mcp-method': 'tools/list',
      'mcp-protocol-version': '2026-07-28',
      'x-app': '1',
    })
  })

  it.each([
    ['JSON', answer(RESPONSE), [RESPONSE]],
    ['JSON of a type with a parameter', answer(RESPONSE, 'Application/JSON ; charset=utf-8'), [RESPONSE]],
    ['a list', answer([HINT, RESPONSE]), [HINT, RESPONSE]],
    ['a JSON-RPC error', answer(ERROR), [ERROR]],
  ])('yields the messages of %s, and fails where they are read to their end', async (_, response, expected) => {
    const { messages, error } = await read(response)
    expect(messages).toEqual(expected)
    expect(error).toMatchObject({
      code: 'CLIENT_HTTP_UNEXPECTED_CONTENT',
      message: expect.stringContaining('not about'),
    })
  })

  it('yields of a stream what is a message, and ends with it', async () => {
    const noMessages = [1, { ...RESPONSE, jsonrpc: '1.0' }, { jsonrpc: '2.0', id: 7 }]
    const response = answer(events(HINT, ...noMessages, RESPONSE), 'Text/Event-Stream; charset=utf-8')
    expect(await read(response)).toMatchObject({ messages: [HINT, RESPONSE], error: undefined })
  })

  it.each([
    ['is no object', 'text'],
    ['is null', null],
    ['is of another JSON-RPC', { ...RESPONSE, jsonrpc: '1.0' }],
    ['is neither request nor response', { jsonrpc: '2.0', id: 7 }],
    ['has a method that is no word', { jsonrpc: '2.0', method: 7 }],
    ['has a result that is no object', { jsonrpc: '2.0', id: 7, result: 'done' }],
    ['has an error that is no object', { jsonrpc: '2.0', id: 7, error: 'no' }],
    ['has an error with a code that is no number', { jsonrpc: '2.0', id: 7, error: { code: 'x', message: 'no' } }],
    ['has an error without words', { jsonrpc: '2.0', id: 7, error: { code: 1 } }],
  ])('fails where JSON %s', async (_, json) => {
    const { messages, error } = await read(answer(JSON.stringify(json)))
    expect(messages).toEqual([])
    expect(error).toMatchObject({ code: 'CLIENT_HTTP_UNEXPECTED_CONTENT' })
  })

  it.each([
    ['of another type', answer('<p>Sign in</p>', 'text/html'), 'is not a message (text/html)'],
    ['of no type', answer('?', null), 'is not a message (no type)'],
    ['without a body', answer(null, null), 'is not a message (no type)'],
    ['that was only accepted, as JSON', answer(RESPONSE, JSON_TYPE, 202), 'is not a message (application/json)'],
    [
      'that was only accepted, as a stream',
      answer(events(RESPONSE), 'text/event-stream', 202),
      'is not a message (text/event-stream)',
    ],
  ])('fails for an answer %s', async (_, response, words) => {
    const { messages, error } = await read(response)
    expect(messages).toEqual([])
    expect(error).toMatchObject({ code: 'CLIENT_HTTP_UNEXPECTED_CONTENT', message: expect.stringContaining(words) })
  })

  it('closes an answer that it does not read', async () => {
    let closes = 0
    const body = new ReadableStream({ cancel: () => void closes++ })
    await read(new Response(body, { headers: { 'content-type': 'text/html' } }))
    expect(closes).toBe(1)
  })

  it.each([
    [
      'the JSON-RPC error that comes with HTTP 400',
      answer(ERROR, JSON_TYPE, 400),
      { name: 'RpcError', ...ERROR.error },
    ],
    [
      'HTTP 400 where the error is about another request',
      answer({ ...ERROR, id: 8 }, JSON_TYPE, 400),
      { status: 400, name: 'HttpError' },
    ],
    ['HTTP 400 without a JSON-RPC error', answer(RESPONSE, JSON_TYPE, 400), { status: 400, name: 'HttpError' }],
    ['HTTP 400 with a page', answer('<p>', 'text/html', 400), { status: 400, data: { status: 400, text: '<p>' } }],
    ['HTTP 500, whatever it brings', answer(ERROR, JSON_TYPE, 500), { status: 500, name: 'HttpError' }],
  ])('fails with %s', async (_, response, expected) => {
    expect((await read(response)).error).toMatchObject(expected)
  })

  it('fails with the status where its text breaks off', async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new TypeError('cut')) })
    const { error } = await read(new Response(body, { status: 503 }))
    expect(error).toMatchObject({ status: 503, data: { text: '' } })
  })
})
