import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import type { WirePiece } from '../../wire/wireTap.js'
import { withoutSecrets } from '../endpoint.js'
import type { WireObservation } from './events.js'
import { createWireObserver } from './wireObserver.js'

const NOW = 5000
const SENT_AT = 1000
const ID = 'task-8chars'
const URL_OF_SERVER = 'https://mcp.example/mcp?token=abc'

function observing() {
  const told: WireObservation[] = []
  const observer = createWireObserver(
    { now: () => NOW },
    { hash: (text) => text.toUpperCase(), withoutSecrets },
    (one) => told.push(one),
  )
  return { told, observer }
}

type Exchange = Extract<WirePiece, { answer: unknown }>

/** A request, whose answer is the response or what it failed with. */
function exchange(init: RequestInit | undefined, answer: Response | unknown): Exchange {
  const came = answer instanceof Response ? Promise.resolve({ at: SENT_AT + 30, copy: answer }) : Promise.reject(answer)
  return { at: SENT_AT, url: URL_OF_SERVER, init, answer: came }
}

/** What the observer reports of an exchange; `last`: the number of observations. */
async function toldOf(piece: Exchange, last: number): Promise<WireObservation[]> {
  const told: WireObservation[] = []
  await new Promise<void>((resolve) => {
    const observer = createWireObserver(
      { now: () => NOW },
      { hash: (text) => text.toUpperCase(), withoutSecrets },
      (one) => {
        if (told.push(one) === last) resolve()
      },
    )
    observer.take(piece)
  })
  return told
}

const post = (message: object): RequestInit => ({
  method: 'POST',
  headers: { 'mcp-method': 'tasks/get', 'mcp-name': ID },
  body: JSON.stringify({ jsonrpc: '2.0', ...message }),
})
const json = { 'content-type': 'application/json' }
const place = 'https://mcp.example/mcp'

describe('an exchange over HTTP', () => {
  it('is reported with the request and its response, without the id of the task', async () => {
    const init = post({ id: 3, method: 'tasks/get', params: { taskId: ID } })
    const text = JSON.stringify({ jsonrpc: '2.0', id: 3, result: { taskId: ID } })
    const of = { exchange: 1, method: 'tasks/get', id: 3, task: 'TASK-8C' }
    expect(await toldOf(exchange(init, new Response(text, { headers: json })), 2)).toStrictEqual([
      {
        type: 'wire-sent',
        at: SENT_AT,
        ...of,
        body: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tasks/get', params: { taskId: 'TASK-8C' } }),
        size: String(init.body).length,
        http: { method: 'POST', url: place, headers: { 'mcp-method': 'tasks/get', 'mcp-name': 'TASK-8C' } },
      },
      {
        type: 'wire-answered',
        at: SENT_AT + 30,
        ms: 30,
        ...of,
        http: { status: 200, headers: json },
        body: JSON.stringify({ jsonrpc: '2.0', id: 3, result: { taskId: 'TASK-8C' } }),
        size: text.length,
      },
    ])
  })

  it('is reported with the task that the response has created', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 0, result: { taskId: ID } })
    const [, answered] = await toldOf(exchange(post({ id: 0, method: 'tools/call' }), new Response(text)), 2)
    expect(answered).toStrictEqual({
      type: 'wire-answered',
      at: SENT_AT + 30,
      ms: 30,
      exchange: 1,
      method: 'tools/call',
      id: 0,
      task: 'TASK-8C',
      http: { status: 200, headers: { 'content-type': 'text/plain;charset=UTF-8' } },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: { taskId: 'TASK-8C' } }),
      size: text.length,
    })
  })

  it('of a notification has no id, and no body where the response has none', async () => {
    const [sent, answered] = await toldOf(
      exchange(post({ method: 'notifications/x' }), new Response(null, { status: 202 })),
      2,
    )
    const of = { exchange: 1, method: 'notifications/x' }
    const body = '{"jsonrpc":"2.0","method":"notifications/x"}'
    const headers = { 'mcp-method': 'tasks/get', 'mcp-name': '[redacted]' }
    const http = { method: 'POST', url: place, headers }
    expect(sent).toStrictEqual({ type: 'wire-sent', at: SENT_AT, ...of, body, size: body.length, http })
    expect(answered).toStrictEqual({
      type: 'wire-answered',
      at: SENT_AT + 30,
      ms: 30,
      ...of,
      http: { status: 202, headers: {} },
      size: 0,
    })
  })

  it.each<[what: string, init: RequestInit | undefined, method: string, size: number]>([
    ['nothing', undefined, 'GET', 0],
    ['a form', { method: 'POST', body: new URLSearchParams({ code: 'secret' }) }, 'POST', 0],
    ['a text that is no message', { method: 'PUT', body: 'code=secret' }, 'PUT', 11],
  ])('that sends %s is reported without its body and that of the response', async (_, init, method, size) => {
    const response = new Response('{"access_token":"secret"}', { status: 201, headers: json })
    expect(await toldOf(exchange(init, response), 2)).toStrictEqual([
      { type: 'wire-sent', at: SENT_AT, exchange: 1, method, size, http: { method, url: place, headers: {} } },
      {
        type: 'wire-answered',
        at: SENT_AT + 30,
        ms: 30,
        exchange: 1,
        method,
        http: { status: 201, headers: json },
      },
    ])
  })

  it('whose response is a stream is reported with each message in it', async () => {
    const message = '{"jsonrpc":"2.0","method":"notifications/x"}'
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    const response = new Response(`data: hello\n\ndata: ${message}\n\n`, { headers })
    const [, answered, event] = await toldOf(exchange(post({ id: 1, method: 'a' }), response), 3)
    const of = { exchange: 1, method: 'a', id: 1 }
    const http = { status: 200, headers }
    expect(answered).toStrictEqual({ type: 'wire-answered', at: SENT_AT + 30, ms: 30, ...of, http, isStream: true })
    expect(event).toStrictEqual({
      type: 'wire-event',
      at: NOW,
      exchange: 1,
      method: 'notifications/x',
      body: message,
      size: message.length,
    })
  })

  it.each<[what: string, error: unknown]>([
    ['an error', new TypeError(`no way to ${ID}`)],
    ['a text', `no way to ${ID}`],
  ])('that fails with %s is reported without the id of the task', async (_, error) => {
    const piece = exchange(post({ id: 1, method: 'tasks/get', params: { taskId: ID } }), error)
    const [, failed] = await toldOf(piece, 2)
    expect(failed).toStrictEqual({
      type: 'wire-failed',
      at: NOW,
      ms: NOW - SENT_AT,
      exchange: 1,
      method: 'tasks/get',
      id: 1,
      task: 'TASK-8C',
      message: 'no way to TASK-8C',
    })
  })

  it('is reported no more once the observer is closed, and its stream is cancelled', async () => {
    const event = new TextEncoder().encode('data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n')
    const told: string[] = []
    await new Promise<unknown>((cancel) => {
      const stream = new ReadableStream({ start: (controller) => controller.enqueue(event), cancel })
      const headers = { 'content-type': 'text/event-stream' }
      const observer = createWireObserver({ now: () => NOW }, { hash: String, withoutSecrets }, ({ type }) => {
        told.push(type)
        if (type === 'wire-event') observer.close()
      })
      observer.take(exchange(post({ id: 1, method: 'a' }), new Response(stream, { headers })))
    })
    expect(told).toEqual(['wire-sent', 'wire-answered', 'wire-event'])
  })
})

describe('a message over the transport of an SDK client', () => {
  const passed = (isSent: boolean, message: object, at = SENT_AT): WirePiece => ({
    at,
    isSent,
    message: { jsonrpc: '2.0', ...message } as JSONRPCMessage,
  })
  const told = (...pieces: WirePiece[]) => {
    const { told, observer } = observing()
    for (const piece of pieces) observer.take(piece)
    return told.map(({ body: _, size: __, ...rest }) => rest)
  }
  const request = passed(true, { id: 1, method: 'ping' })
  const sent = { type: 'wire-sent', at: SENT_AT, id: 1, method: 'ping' }
  const answer = passed(false, { id: 1, result: {} }, SENT_AT + 30)
  const answered = { type: 'wire-answered', at: SENT_AT + 30, ms: 30, exchange: 1, id: 1, method: 'ping' }
  const event = { type: 'wire-event', at: SENT_AT + 30, id: 1 }

  it('is reported with its response, once', () => {
    expect(told(request, answer, answer)).toStrictEqual([{ ...sent, exchange: 1 }, answered, { ...event, exchange: 2 }])
  })

  it('is reported with what is in it', () => {
    const { told, observer } = observing()
    observer.take(request)
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    expect(told).toStrictEqual([{ ...sent, exchange: 1, body, size: body.length }])
  })

  it('of the server with the same id is no response', () => {
    const asked = passed(false, { id: 1, method: 'ping' }, SENT_AT + 30)
    expect(told(request, asked, answer)).toStrictEqual([
      { ...sent, exchange: 1 },
      { ...event, method: 'ping', exchange: 2 },
      answered,
    ])
  })

  it.each<[what: string, piece: WirePiece, said: object]>([
    ['a response of the client', passed(true, { id: 1, result: {} }), { type: 'wire-sent', at: SENT_AT, id: 1 }],
    ['a request of the server', passed(false, { id: 1, method: 'ping' }), { ...sent, type: 'wire-event' }],
  ])('is no response to %s', (_, piece, said) => {
    expect(told(piece, answer)).toStrictEqual([
      { ...said, exchange: 1 },
      { ...event, exchange: 2 },
    ])
  })

  it('is no response to a notification, which has no id', () => {
    const note = passed(true, { method: 'notifications/x' })
    const failure = passed(false, { error: { code: -32700, message: 'no' } }, SENT_AT + 30)
    expect(told(note, failure)).toStrictEqual([
      { type: 'wire-sent', at: SENT_AT, method: 'notifications/x', exchange: 1 },
      { type: 'wire-event', at: SENT_AT + 30, exchange: 2 },
    ])
  })

  it('does not answer one that the client repeats', () => {
    expect(told(request, passed(true, { id: 1, result: {} }), answer)).toStrictEqual([
      { ...sent, exchange: 1 },
      { type: 'wire-sent', at: SENT_AT, id: 1, exchange: 2 },
      answered,
    ])
  })

  it.each([
    ['is remembered', 500, 'wire-answered'],
    ['is forgotten', 501, 'wire-event'],
  ])('%s where %d wait for a response', (_, count, type) => {
    const requests = Array.from({ length: count }, (_, id) => passed(true, { id, method: 'ping' }))
    expect(told(...requests, passed(false, { id: 0, result: {} })).at(-1)?.type).toBe(type)
  })

  it('shows no task that was learnt', () => {
    const { told, observer } = observing()
    observer.learn(ID)
    observer.take(passed(false, { method: 'notifications/x', params: { text: ID } }))
    expect(told.map(({ body }) => body)).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/x","params":{"text":"TASK-8C"}}',
    ])
  })

  it('is not reported once the observer is closed', () => {
    const { told, observer } = observing()
    observer.close()
    observer.take(request)
    expect(told).toEqual([])
  })
})
