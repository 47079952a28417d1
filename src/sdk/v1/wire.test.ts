import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, vi } from 'vitest'
import { HttpError, RpcError, WireError } from '../../core/wire/wireErrors.js'
import { isSdkV1Client } from './client.js'
import { fromSdkV1Error } from './errors.js'
import { sdkV1Wire } from './wire.js'

const QUESTION = { message: 'Go on?', requestedSchema: { type: 'object' as const, properties: {} } }

/** A client and a server of SDK v1, connected in memory. */
async function connect() {
  const client = new Client({ name: 'app', version: '1' }, { capabilities: { elicitation: { form: {} } } })
  const server = new Server({ name: 'server', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }))
  const cancelled = vi.fn()
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([client.connect(here), server.connect(there)])
  const { onmessage } = there
  there.onmessage = (message, extra) => {
    if ('method' in message && message.method === 'notifications/cancelled') cancelled()
    onmessage?.(message, extra)
  }
  return { client, server, cancelled }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a request', () => {
  it('brings the result as it is', async () => {
    const { client, server } = await connect()
    const result = { content: [], task: { taskId: 't1', status: 'working' }, extra: 1 }
    server.setRequestHandler(CallToolRequestSchema, () => result)
    await expect(sdkV1Wire(client).request('tools/call', { name: 'a' }, {})).resolves.toEqual(result)
  })

  it('that the server refuses is an RpcError in the words of the server', async () => {
    const { client, server } = await connect()
    server.setRequestHandler(CallToolRequestSchema, () => {
      throw new McpError(ErrorCode.InvalidParams, 'No such tray', { tray: 2 })
    })
    const error: unknown = await sdkV1Wire(client)
      .request('tools/call', { name: 'a' }, {})
      .catch((one: unknown) => one)
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('No such tray'), data: { tray: 2 } })
  })

  it('that is given up tells the server, and ends with the reason', async () => {
    const { client, server, cancelled } = await connect()
    server.setRequestHandler(CallToolRequestSchema, () => new Promise<never>(() => {}))
    const abort = new AbortController()
    const request = sdkV1Wire(client).request('tools/call', { name: 'a' }, { signal: abort.signal })
    const reason = new Error('enough')
    abort.abort(reason)
    await expect(request).rejects.toBe(reason)
    await settle()
    expect(cancelled).toHaveBeenCalledOnce()
  })

  it('that has its response tells nothing any more: a task must not be cancelled by notification', async () => {
    const { client, server, cancelled } = await connect()
    server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }))
    const abort = new AbortController()
    await sdkV1Wire(client).request('tools/call', { name: 'a' }, { signal: abort.signal })
    abort.abort()
    await settle()
    expect(cancelled).not.toHaveBeenCalled()
  })

  it('has progress asked for where somebody listens, and can take as long as a timer can', async () => {
    const client = { request: vi.fn(async () => ({})) } as unknown as Client
    const wire = sdkV1Wire(client)
    expect(wire).toMatchObject({ sessionId: undefined, hasOwnTokens: true })
    const onProgress = vi.fn()
    await wire.request('tools/call', { name: 'a' }, { onProgress })
    await wire.request('tools/list', {}, {})
    const [called, listed] = vi.mocked(client.request).mock.calls.map(([, , options]) => options)
    expect(called).toEqual({ signal: expect.any(AbortSignal), timeout: 2 ** 31 - 1, onprogress: onProgress })
    expect(listed).toEqual({ signal: expect.any(AbortSignal), timeout: 2 ** 31 - 1 })
  })

  it('that was given up before does not go out', async () => {
    const { client } = await connect()
    const reason = new Error('enough')
    await expect(sdkV1Wire(client).request('tools/list', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
  })
})

describe('what the server asks', () => {
  const ask = (server: Server) => server.request({ method: 'elicitation/create', params: QUESTION }, ElicitResultSchema)

  it('goes to the listener, which answers later', async () => {
    const { client, server } = await connect()
    const wire = sdkV1Wire(client)
    let id: string | number = ''
    wire.onServerMessage((message) => {
      if ('id' in message) id = message.id
      return true
    })
    const asked = ask(server)
    await settle()
    await wire.respond(id, { result: { action: 'accept', content: { ok: true } } }, undefined)
    await expect(asked).resolves.toMatchObject({ action: 'accept', content: { ok: true } })
    await expect(wire.respond(id, { result: {} }, undefined)).rejects.toBeInstanceOf(RpcError)
  })

  it('is refused in the words of the listener', async () => {
    const { client, server } = await connect()
    const wire = sdkV1Wire(client)
    wire.onServerMessage((message) => {
      void wire.respond('id' in message ? message.id : '', { error: { code: -32042, message: 'Not now' } }, undefined)
      return true
    })
    await expect(ask(server)).rejects.toMatchObject({ code: -32042, message: expect.stringContaining('Not now') })
  })

  it('is refused where it is no request, or nobody listens, and cannot be answered then', async () => {
    const client = {} as unknown as Client
    const wire = sdkV1Wire(client)
    const request = client.fallbackRequestHandler as unknown as (message: object, extra: object) => Promise<unknown>
    const extra = { signal: new AbortController().signal }
    await expect(request({ jsonrpc: '2.0', id: 1, method: 'roots/list' }, extra)).rejects.toMatchObject({
      code: -32601,
    })
    await expect(wire.respond(1, { result: {} }, undefined)).rejects.toMatchObject({ code: -32602 })
    const listener = vi.fn(() => true)
    wire.onServerMessage(listener)
    await expect(request({ id: 1 }, extra)).rejects.toMatchObject({ code: -32601 })
    expect(listener).not.toHaveBeenCalled()
  })

  it('cannot be answered once the server has taken it back, of which the listener hears the id', async () => {
    const client = {} as unknown as Client
    const wire = sdkV1Wire(client)
    const listener = vi.fn(() => true)
    wire.onServerMessage(listener)
    const request = client.fallbackRequestHandler as unknown as (message: object, extra: object) => Promise<unknown>
    const controller = new AbortController()
    void request({ jsonrpc: '2.0', id: 7, method: 'roots/list' }, { signal: controller.signal })
    controller.abort()
    expect(listener).toHaveBeenLastCalledWith({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 7 },
    })
    await expect(wire.respond(7, { result: {} }, undefined)).rejects.toMatchObject({ code: -32602 })
  })

  it('goes to the handler of the app where it has one for it', async () => {
    const { client, server } = await connect()
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }))
    const listener = vi.fn(() => true)
    sdkV1Wire(client).onServerMessage(listener)
    await expect(ask(server)).resolves.toMatchObject({ action: 'decline' })
    expect(listener).not.toHaveBeenCalled()
  })

  it('goes on to the fallback of the app where the listener wants none of it', async () => {
    const { client, server } = await connect()
    client.fallbackRequestHandler = async () => ({ action: 'cancel' })
    sdkV1Wire(client).onServerMessage(() => false)
    await expect(ask(server)).resolves.toMatchObject({ action: 'cancel' })
  })

  it('is refused where nobody wants it, as without us', async () => {
    const { client, server } = await connect()
    sdkV1Wire(client)
    await expect(ask(server)).rejects.toMatchObject({ code: -32601 })
  })

  it('is told to the listener when the server takes it back', async () => {
    const { client, server } = await connect()
    const methods: string[] = []
    sdkV1Wire(client).onServerMessage(({ method }) => {
      methods.push(method)
      return true
    })
    // SDK v1 cannot take back the request with the id 0.
    await server.ping()
    const abort = new AbortController()
    const asked = server.request({ method: 'elicitation/create', params: QUESTION }, ElicitResultSchema, {
      signal: abort.signal,
    })
    await settle()
    abort.abort()
    await expect(asked).rejects.toThrow()
    await settle()
    expect(methods).toEqual(['elicitation/create', 'notifications/cancelled'])
  })
})

describe('the handlers of the app', () => {
  it('hear the notifications that are not ours, and are back at the end', async () => {
    const { client, server } = await connect()
    const received: unknown[] = []
    const fallback = async (notification: { method: string }) => {
      received.push(notification.method)
    }
    client.fallbackNotificationHandler = fallback
    const wire = sdkV1Wire(client)
    wire.onServerMessage(() => false)
    await server.sendToolListChanged().catch(() => {})
    await server
      .notification({ method: 'notifications/message', params: { level: 'info', data: 'hi' } })
      .catch(() => {})
    await settle()
    wire.release()
    expect(client.fallbackNotificationHandler).toBe(fallback)
    expect(client.fallbackRequestHandler).toBeUndefined()
  })

  it('are told what the listener wants none of, where the app has a handler', async () => {
    const own = vi.fn(async () => {})
    const [withHandler, without] = [{ fallbackNotificationHandler: own }, {}] as unknown as [Client, Client]
    const note = (method: string) => ({ method, params: {} }) as never
    for (const client of [withHandler, without]) {
      sdkV1Wire(client).onServerMessage(({ method }) => method === 'notifications/ours')
      await client.fallbackNotificationHandler?.(note('notifications/ours'))
      await client.fallbackNotificationHandler?.(note('notifications/theirs'))
      await client.fallbackNotificationHandler?.({ params: {} } as never)
    }
    expect(own.mock.calls).toEqual([[note('notifications/theirs')], [{ params: {} }]])
  })

  it('stay where the app has put others there since', () => {
    const client = {} as unknown as Client
    const wire = sdkV1Wire(client)
    const [requests, notifications] = [async () => ({}), async () => {}]
    Object.assign(client, { fallbackRequestHandler: requests, fallbackNotificationHandler: notifications })
    wire.release()
    expect(client).toEqual({ fallbackRequestHandler: requests, fallbackNotificationHandler: notifications })
  })
})

describe('isSdkV1Client', () => {
  it('tells a client of SDK v1 from all else', async () => {
    const { client } = await connect()
    expect(isSdkV1Client(client)).toBe(true)
    expect(isSdkV1Client({})).toBe(false)
    expect(isSdkV1Client({ close: () => {} })).toBe(false)
    expect(isSdkV1Client({ ...methods(client), getProtocolEra: () => 'modern' })).toBe(false)
  })

  const methods = ({ request, listTools, getServerCapabilities, close }: Client) => ({
    request,
    listTools,
    getServerCapabilities,
    close,
  })
})

describe('an error of SDK v1', () => {
  it.each([
    [new McpError(ErrorCode.RequestTimeout, 'Request timed out'), WireError, { code: 'REQUEST_TIMEOUT' }],
    [new McpError(ErrorCode.ConnectionClosed, 'Connection closed'), WireError, { code: 'CONNECTION_CLOSED' }],
    [new McpError(-32603, 'Connection closed'), RpcError, { code: -32603 }],
    [new McpError(-32000, 'Bad Request'), RpcError, { code: -32000, message: 'Bad Request' }],
    [
      new StreamableHTTPError(503, 'Error POSTing to endpoint: busy'),
      HttpError,
      { status: 503, data: { text: 'busy' } },
    ],
    [new Error('Unauthorized'), Error, { name: 'UnauthorizedError' }],
    [new Error('Not connected'), WireError, { code: 'NOT_CONNECTED' }],
  ])('%s is read as SDK v2 would say it', (error, type, fields) => {
    const read = fromSdkV1Error(error)
    expect(read).toBeInstanceOf(type)
    expect(read).toMatchObject(fields)
  })

  it.each([
    new TypeError('fetch failed'),
    'no',
    Object.assign(new Error('other'), { code: 503 }),
    Object.assign(new Error('no number'), { name: 'McpError', code: 'x' }),
    new StreamableHTTPError(-1, 'Unexpected content type: text/html'),
    new StreamableHTTPError(0, 'no status'),
    new StreamableHTTPError(undefined, 'no status'),
    Object.assign(new Error('Streamable HTTP error: x'), { code: '503' }),
  ])('of any other kind is left as it is: %s', (error) => {
    expect(fromSdkV1Error(error)).toBe(error)
  })

  it.each([
    new McpError(ErrorCode.RequestTimeout, 'Request timed out'),
    new McpError(ErrorCode.ConnectionClosed, 'Connection closed'),
    new StreamableHTTPError(503, 'Error POSTing to endpoint: busy'),
  ])('is the cause of what it is read as: %s', (error) => {
    expect((fromSdkV1Error(error) as Error).cause).toBe(error)
  })

  it.each([
    ['Error POSTing to endpoint: busy', 'busy'],
    ['Error POSTing to endpoint: Error POSTing to endpoint: busy', 'Error POSTing to endpoint: busy'],
    ['first line\nPOSTing to endpoint: busy', 'Streamable HTTP error: first line\nPOSTing to endpoint: busy'],
  ])('with the words %j has the text %j', (words, text) => {
    expect(fromSdkV1Error(new StreamableHTTPError(503, words))).toMatchObject({ data: { text } })
  })
})
