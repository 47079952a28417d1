import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { type TaskClient, TaskConfigurationError } from 'taskwire'
import { createTaskClient, webSocket } from 'taskwire/bridge'
import { createTaskBridge, type TaskBridge } from 'taskwire/bridge/server'
import { afterEach, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { BRIDGE_URL, createBridgedBackend, USER_HEADER } from '../support/bridgedBackend.js'
import { PATIENCE } from '../support/patience.js'
import { createWorkServer } from '../support/workServer.js'

const WORK = { name: 'work', arguments: { seconds: 5 } }

function setUp(options: Parameters<typeof createBridgedBackend>[1] = {}) {
  const server = createWorkServer({ browser: { turns: 60 } })
  return { server, backend: createBridgedBackend(server, options, {}, true) }
}

/** A socket of a page that sends what this test sends. */
function openSocket({ bridge }: { readonly bridge: TaskBridge }, headers: Record<string, string> = {}, query = '') {
  const got: string[] = []
  const socket = { send: (data: string) => got.push(data), close: vi.fn() }
  const request = new Request(BRIDGE_URL + query, { headers: { [USER_HEADER]: 'ada', ...headers } })
  return { got, socket, page: bridge.openSocket(request, socket), news: () => got.map((text) => JSON.parse(text)) }
}

/** What a page says that has read this. */
const takenOf = (text = '{}') => `taken ${JSON.parse(text).take}`

it('a page that has come to a number gets what has changed since, by its address', async () => {
  const { server, backend } = setUp()
  backend.clientOf('ada').startToolCall(WORK, { key: 'k' })
  await server.advance(1500)
  const first = openSocket(backend)
  await server.advance(0)
  const { epoch, seq } = first.news()[0]
  await server.advance(1000)
  const again = openSocket(backend, {}, `?lastEventId=${epoch}:${seq}`)
  const forged = openSocket(backend, {}, `?lastEventId=${epoch}:99999`)
  await server.advance(0)
  expect(again.news()[0]).toMatchObject({ from: seq, calls: [{ name: 'work', key: 'k' }] })
  expect(forged.news()[0]).not.toHaveProperty('from')
})

it('a page of another site is refused, also where the host of its URL was made from the path that it has asked for', async () => {
  const { server, backend } = setUp()
  const got: string[] = []
  const socket = { send: (data: string) => got.push(data), close: vi.fn() }
  const headers = { [USER_HEADER]: 'ada', origin: 'https://evil.example', host: 'app.example' }
  backend.bridge.openSocket(new Request('http://evil.example/api/calls', { headers }), socket)
  await server.advance(0)
  expect(got.map((text) => JSON.parse(text))).toMatchObject([{ refused: { status: 403 } }])
})

it('a page that takes nothing is cut off, however little waits', async () => {
  const { server, backend } = setUp()
  backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 2 } }, { key: 'k' })
  await server.advance(5000)
  const { socket } = openSocket(backend)
  await server.advance(100_000)
  expect(socket.close).toHaveBeenCalledExactlyOnceWith(1013)
})

it('sockets that had closed before they were passed take no place', async () => {
  const { server, backend } = setUp()
  await backend.clientOf('ada').resumeToolCalls()
  for (let at = 0; at < 32; at++) {
    const socket = Object.assign(new EventTarget(), { readyState: 3, send: () => {}, close: () => {} })
    backend.bridge.openSocket(new Request(BRIDGE_URL, { headers: { [USER_HEADER]: 'ada' } }), socket)
  }
  await server.advance(1000)
  const stream = await backend.bridge.fetch(new Request(BRIDGE_URL, { headers: { [USER_HEADER]: 'ada' } }))
  expect(stream.status).toBe(200)
})

it('a page that was slow hears that a call has gone, however many have gone meanwhile', async () => {
  const { server, backend } = setUp()
  const client = backend.clientOf('ada')
  const make = async (key: string, characters: number) => {
    const call = client.startToolCall({ name: 'echo', arguments: { text: 'x'.repeat(characters) } }, { key })
    await server.advance(20)
    await call.result
    return call
  }
  const big = await make('big', 20_000)
  const { got, page, news } = openSocket(backend)
  await server.advance(0)
  expect(news()[0].calls).toMatchObject([{ key: 'big' }])
  await client.forget({ callId: big.callId })
  for (let at = 0; at < 1001; at++) await client.forget({ callId: (await make(`k${at}`, 0)).callId })
  expect(got).toHaveLength(1)
  page.onMessage(takenOf(got[0]))
  expect(news()[1]).not.toHaveProperty('from')
})

it('a page that takes nothing gets the newest state when it does, and is cut off after four heartbeats', async () => {
  const { server, backend } = setUp({ highWaterMark: 200 })
  backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 200 } }, { key: 'k' })
  await server.advance(500)
  const { got, page, socket } = openSocket(backend)
  await server.advance(30_000)
  expect(got).toHaveLength(1)
  page.onMessage(takenOf(got[0]))
  expect(got).toHaveLength(2)
  expect(got[1]).toContain('step 30')
  await server.advance(120_000)
  expect(got).toHaveLength(2)
  expect(socket.close).toHaveBeenCalledExactlyOnceWith(1013)
})

it('a page that says it has taken everything, and reads nothing, has no more waiting for it than one that says nothing', async () => {
  const { server, backend } = setUp({ highWaterMark: 4096 })
  backend.clientOf('ada').startToolCall({ name: 'work', arguments: { seconds: 200 } }, { key: 'k' })
  await server.advance(500)
  const { got, page, socket } = openSocket(backend)
  const reader = openSocket(backend)
  await server.advance(0)
  const guesses = ['taken', 'taken ', 'taken undefined', 'taken 00000000', 'ping', takenOf(reader.got[0])]
  for (let second = 0; second < 50; second += 1) {
    // What another socket of the page has read says nothing of this one.
    for (let at = 0; at < 100; at += 1) for (const words of guesses) page.onMessage(words)
    for (const text of reader.got) page.onMessage(takenOf(text))
    await server.advance(1000)
  }
  expect(got.join('').length).toBeLessThan(2 * 4096)
  // Once it reads, it gets what it has not got.
  const unread = got.filter((text) => text.startsWith('{'))
  for (const text of unread) page.onMessage(takenOf(text))
  expect(got.at(-1)).toContain('step 5')
  await server.advance(120_000)
  expect(socket.close).toHaveBeenCalledExactlyOnceWith(1013)
})

it('a ping is answered at once, and other words of a page change nothing', async () => {
  const { server, backend } = setUp()
  const { got, page, socket } = openSocket(backend)
  await server.advance(0)
  for (const words of [
    'taken',
    'taken x',
    '{"type":"start"}',
    'x'.repeat(100_000),
    new Uint8Array(3),
    undefined,
    'ping',
  ])
    page.onMessage(words)
  expect(got.slice(1)).toEqual(['pong'])
  expect(socket.close).not.toHaveBeenCalled()
  expect(server.count('tools/call')).toBe(0)
})

it('two tabs of a backend without heartbeats keep one socket', async () => {
  const { server, backend } = setUp({ heartbeatMs: Number.POSITIVE_INFINITY })
  for (const { client } of [backend.openPage(), backend.openPage()]) void client.connect()
  await server.advance(1000)
  const opened = () => backend.requests.filter(({ method }) => method === 'GET').length
  const before = opened()
  await server.advance(600_000)
  expect([opened(), backend.openStreams()]).toEqual([before, 1])
})

it('a backend without heartbeats is asked for a sign of life, and one that gives none is connected to again', async () => {
  const { server, backend } = setUp({ heartbeatMs: Number.POSITIVE_INFINITY })
  const { client } = backend.openPage()
  void client.connect()
  await server.advance(200_000)
  expect(backend.requests.filter(({ method }) => method === 'GET')).toHaveLength(1)
  let opened = 0
  class DeadSocket {
    constructor() {
      opened += 1
    }
    addEventListener(type: string, listener: (event: { data: unknown }) => void): void {
      if (type === 'open') queueMicrotask(() => listener({ data: undefined }))
    }
    send(): void {}
    close(): void {}
  }
  void backend
    .openPage(undefined, { carrier: webSocket({ WebSocket: DeadSocket }), crossTab: false })
    .client.connect()
    .catch(() => {})
  await server.advance(44_000)
  expect(opened).toBe(1)
  await server.advance(3000)
  expect(opened).toBe(2)
})

it.each([
  ['of another origin', { origin: 'https://evil.example' }, 403],
  ['of nobody', { [USER_HEADER]: '' }, 401],
])('a socket %s is refused in words and closed', async (_, headers, status) => {
  const server = createWorkServer({ browser: { turns: 60 } })
  const clientOf = (request: Request) => (request.headers.get(USER_HEADER) ? users.clientOf('ada') : undefined)
  const users = createBridgedBackend(server, { clientOf })
  users.clientOf('ada').startToolCall(WORK, { key: 'secret-plan' })
  await server.advance(1500)
  const { got, news, socket } = openSocket(users, headers)
  await server.advance(0)
  expect(news()).toMatchObject([{ refused: { status, error: { message: expect.any(String) } } }])
  expect(got.join()).not.toContain('secret-plan')
  expect(socket.close).toHaveBeenCalledExactlyOnceWith(1008)
})

it('a user has as many sockets as streams, and one that closes makes room', async () => {
  const { server, backend } = setUp({ maxStreams: 1 })
  const { page } = openSocket(backend)
  const second = openSocket(backend)
  await server.advance(0)
  expect(second.news()).toMatchObject([{ refused: { status: 429 } }])
  page.onClose()
  const third = openSocket(backend)
  await server.advance(0)
  expect(third.news()).toMatchObject([{ connection: { status: 'idle' } }])
})

/** A socket that throws where it cannot be written to, as those of Deno and `ws` do before they are open and after their end. */
function openBrokenSocket({ bridge }: { readonly bridge: TaskBridge }, canSend: (count: number) => boolean) {
  const got: string[] = []
  let count = 0
  const send = (data: string) => {
    count += 1
    if (!canSend(count)) throw new DOMException('readyState not OPEN', 'InvalidStateError')
    got.push(data)
  }
  const request = new Request(BRIDGE_URL, { headers: { [USER_HEADER]: 'ada' } })
  return { got, page: bridge.openSocket(request, { send, close: () => {} }) }
}

it.each(['news', 'heartbeats', 'pongs'])('a socket that throws at its %s makes room', async (what) => {
  const { server, backend } = setUp({ maxStreams: 1 })
  const sent = { news: 0, heartbeats: 1, pongs: 1 }[what] ?? 0
  const { got, page } = openBrokenSocket(backend, (count) => count <= sent)
  await server.advance(0)
  expect(got).toHaveLength(sent)
  if (what === 'heartbeats') {
    page.onMessage(takenOf(got[0]))
    await server.advance(15_000)
  }
  if (what === 'pongs') page.onMessage('ping')
  const next = openSocket(backend)
  await server.advance(0)
  expect(next.news()).toMatchObject([{ connection: { status: 'idle' } }])
})

it('a socket that is not open yet gets its news when it is', async () => {
  const { server, backend } = setUp()
  const got: string[] = []
  const socket = Object.assign(new EventTarget(), {
    readyState: 0,
    send: (data: string) => {
      if (socket.readyState !== 1) throw new DOMException('readyState not OPEN', 'InvalidStateError')
      got.push(data)
    },
    close: () => {},
  })
  backend.bridge.openSocket(new Request(BRIDGE_URL, { headers: { [USER_HEADER]: 'ada' } }), socket)
  await server.advance(1000)
  expect(got).toEqual([])
  socket.readyState = 1
  socket.dispatchEvent(new Event('open'))
  await server.advance(0)
  expect(got.map((text) => JSON.parse(text))).toMatchObject([{ connection: { status: 'idle' } }])
})

it('a request for a WebSocket that was not accepted is refused with what to do', async () => {
  const { backend } = setUp()
  const response = await backend.bridge.fetch(new Request(BRIDGE_URL, { headers: { upgrade: 'websocket' } }))
  expect(response.status).toBe(426)
  expect(await response.text()).toContain('openSocket()')
})

it('a platform without WebSockets says what to pass', async () => {
  vi.stubGlobal('WebSocket', undefined)
  const { server, backend } = setUp()
  const onError = vi.fn()
  const { client } = backend.openPage(undefined, { carrier: webSocket(), onError, crossTab: false })
  client.connect().catch(() => {})
  await server.advance(3000)
  vi.unstubAllGlobals()
  expect(onError.mock.calls[0]?.[0]).toBeInstanceOf(TaskConfigurationError)
  expect(onError.mock.calls[0]?.[0].message).toContain('webSocket({ WebSocket })')
})

const closing: (() => unknown)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

const toRequest = ({ url = '', headers }: IncomingMessage) =>
  new Request(new URL(url, `http://${headers.host}`), { headers: headers as Record<string, string> })

/** A backend with real sockets, as `backendSocket.ts` of the docs sets it up, and a page of it. */
async function openRealSockets() {
  const server = createWorkServer({ browser: { turns: 60 } })
  const client: TaskClient = createBridgedBackend(server).clientOf('ada')
  const bridge = createTaskBridge({ clientOf: () => client, allow: { tools: ['work'] } })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 })
  const listener = toNodeHandler({ fetch: bridge.fetch })
  const http = createServer((request, response) => void listener(request as NodeIncomingMessageLike, response))
  http.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (page) => bridge.openSocket(toRequest(request), page))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const each of sockets.clients) each.terminate()
  }
  const address = `127.0.0.1:${(http.address() as AddressInfo).port}/api/calls`
  closing.push(
    () => http.close(),
    () => http.closeAllConnections(),
    cut,
  )
  return { server, address, cut }
}

function openRealPage(address: string): TaskClient {
  const page = createTaskClient({ url: `http://${address}`, carrier: webSocket({ WebSocket }), crossTab: false })
  closing.push(page.close)
  return page
}

it('a page follows a call by a real WebSocket, also when that is cut, and sends its actions by HTTP', async () => {
  const { server, address, cut } = await openRealSockets()
  const page = openRealPage(address)
  await page.connect()
  const call = page.startToolCall(WORK, { key: 'k' })
  await vi.waitFor(() => expect(server.count('tools/call')).toBe(1), PATIENCE)
  await server.advance(2500)
  await vi.waitFor(
    () => expect(call.getState()).toMatchObject({ phase: 'working', task: { statusMessage: 'step 2' } }),
    PATIENCE,
  )
  cut()
  await server.advance(5000)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 5 } })
  expect(server.count('tools/call')).toBe(1)
})

it('a frame that is too large ends the socket of who sent it, and nothing else', async () => {
  const { address } = await openRealSockets()
  const page = openRealPage(address)
  await page.connect()
  const stranger = new WebSocket(`ws://${address}`)
  const ended = new Promise((resolve) => stranger.on('close', resolve))
  stranger.on('open', () => stranger.send('x'.repeat(2000)))
  expect(await ended).toBe(1009)
  expect(page.store.getState().connection.status).toBe('connected')
})

it('a page in Node says that nothing listens, and lives on', async () => {
  const page = openRealPage('127.0.0.1:1/api/calls')
  page.connect().catch(() => {})
  await vi.waitFor(
    () => expect(page.store.getState().connection).toMatchObject({ error: { kind: 'network' } }),
    PATIENCE,
  )
})
