import type { Client, Transport } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import { ConnectionFailedError, ToolCallRejectedError } from '../../core/protocol/errors.js'
import { IDEMPOTENCY_KEY_META } from '../../core/protocol/extension.js'
import type { InputRequest } from '../../core/protocol/inputRequest.js'
import type { ConnectionState } from '../../core/wire/connection.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { ProtocolError, SdkErrorCode, SdkHttpError } from '../sdk.js'
import { CALL_TOKEN_META } from '../transport/callToken.js'
import { TaskTransport } from '../transport/taskTransport.js'
import { createSdkV2Connection, type SdkV2ConnectionOptions } from './sdkV2Connection.js'

const RESULT: CallToolResult = { content: [] }
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const ROOTS: InputRequest = { method: 'roots/list', params: {} }

const transportOf = (sessionId?: string) => {
  const inner: Transport = { start: async () => {}, close: vi.fn(async () => {}), send: async () => {} }
  return new TaskTransport(Object.assign(inner, sessionId !== undefined && { sessionId }), {})
}

interface Options extends Partial<SdkV2ConnectionOptions> {
  negotiated?: 'modern' | 'legacy' | 'none'
  serverCapabilities?: object
  sessionId?: string
}

/** A connection over a client of SDK v2, as far as that is used. */
function setUp({ negotiated = 'modern', serverCapabilities = TASKS, sessionId, ...options }: Options = {}) {
  const { environment } = createSimulatedEnvironment()
  const transport = transportOf(sessionId)
  const client = {
    transport: transport as Transport | undefined,
    getProtocolEra: () => (negotiated === 'none' ? undefined : negotiated),
    getServerCapabilities: () => serverCapabilities,
    getNegotiatedProtocolVersion: () => '2026-07-28' as string | undefined,
    getServerVersion: () => ({ name: 'server', version: '1', title: 'Server' }) as object | undefined,
    listTools: vi.fn(async () => ({ tools: [] })),
    callTool: vi.fn<(params: Record<string, unknown>, options?: object) => Promise<CallToolResult>>(async () => RESULT),
    connect: vi.fn(async (next: Transport) => {
      client.transport = next
    }),
    close: vi.fn(async () => {
      client.transport = undefined
    }),
  }
  const states: ConnectionState[] = []
  let sequence = 0
  const connection = createSdkV2Connection({
    client: client as unknown as Client,
    createTransport: undefined,
    url: undefined,
    callTimeoutMs: 1000,
    environment,
    randomId: () => `token${++sequence}`,
    onState: (state) => states.push(state),
    onIssue: () => {},
    legacy: { mode: 'auto', ttlMs: undefined, environment, addressesSessions: false },
    ...options,
  })
  return { connection, client, transport, states }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const sentBy = ({ client }: ReturnType<typeof setUp>) => client.callTool.mock.calls[0] ?? []

describe('a call through an SDK v2 client', () => {
  it('carries what it is given, its key and a token, under no timeout of the SDK', async () => {
    const world = setUp()
    const { signal } = new AbortController()
    const beforeSend = async () => 'key'
    const request = { name: 'report', arguments: { year: 2026 }, meta: () => ({ trace: 'x' }) }
    const hooks = { beforeSend, ask: () => new Promise<never>(() => {}), onProgress: () => {}, signal }
    expect(await world.connection.callTool(request, hooks)).toEqual({ type: 'result', result: RESULT })
    expect(sentBy(world)).toEqual([
      {
        name: 'report',
        arguments: { year: 2026 },
        _meta: { trace: 'x', [CALL_TOKEN_META]: 'token1:1', [IDEMPOTENCY_KEY_META]: 'key' },
      },
      { timeout: 2 ** 31 - 1, signal: expect.any(AbortSignal), allowInputRequired: true },
    ])
    await world.connection.callToolRaw({ name: 'report' }, undefined)
    expect(world.client.callTool.mock.lastCall?.[0]).toEqual({
      name: 'report',
      arguments: {},
      _meta: { [CALL_TOKEN_META]: 'token1:2' },
    })
  })

  it.each(['resolves', 'rejects'])('is known to the transport until it %s', async (way) => {
    const { connection, client, transport } = setUp()
    const known: boolean[] = []
    client.callTool.mockImplementation(async () => {
      known.push(transport.callOf(`token1:${known.length + 1}`) !== undefined)
      return way === 'rejects' ? Promise.reject(new TypeError('cut')) : RESULT
    })
    await connection.callToolRaw({ name: 'report' }, undefined).catch(() => {})
    await connection.completeCall('report', RESULT).catch(() => {})
    expect(known).toEqual([true, true])
    expect([transport.callOf('token1:1'), transport.callOf('token1:2')]).toEqual([undefined, undefined])
  })

  it.each([
    ['that the server has refused', true, 'ToolCallRejectedError'],
    ['that the SDK raises itself', undefined, 'ProtocolError'],
  ])('fails with an error %s', async (_, refused, name) => {
    const { connection, client, transport } = setUp()
    client.callTool.mockImplementation(async ({ _meta }) => {
      const call = transport.callOf((_meta as Record<string, unknown>)[CALL_TOKEN_META])
      if (call && refused) call.refused = refused
      throw new ProtocolError(-32602, 'no')
    })
    await expect(connection.callToolRaw({ name: 'report' }, undefined)).rejects.toMatchObject({ name })
  })

  it('fails with what a validation of the SDK finds wrong with the result of a task', async () => {
    const { connection, client } = setUp()
    const invalid = new ProtocolError(-32602, 'output is invalid')
    client.callTool.mockRejectedValue(invalid)
    await expect(connection.completeCall('report', RESULT)).rejects.toBe(invalid)
    expect(client.callTool).toHaveBeenCalledExactlyOnceWith({
      name: 'report',
      _meta: { [CALL_TOKEN_META]: 'token1:1' },
    })
  })

  it.each([
    ['in a session', 's1', 1, ConnectionFailedError],
    ['without a session', undefined, 0, ToolCallRejectedError],
  ])('that is answered by HTTP 404 %s', async (_, sessionId, closes, type) => {
    const { connection, client } = setUp(sessionId === undefined ? {} : { sessionId })
    client.callTool.mockRejectedValue(
      new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Not Found', { status: 404 }),
    )
    await expect(connection.callToolRaw({ name: 'report' }, undefined)).rejects.toBeInstanceOf(type)
    expect(client.close).toHaveBeenCalledTimes(closes)
  })
})

describe('a list of tools through an SDK v2 client', () => {
  const notFound = new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Not Found', { status: 404 })
  it.each([
    ['in a session', { sessionId: 's1' }, 1, ConnectionFailedError],
    ['without a session', {}, 0, SdkHttpError],
  ])('that is answered by HTTP 404 %s', async (_, options, closes, type) => {
    const { connection, client } = setUp(options)
    client.listTools.mockRejectedValue(notFound)
    await expect(connection.listTools()).rejects.toBeInstanceOf(type)
    expect(client.close).toHaveBeenCalledTimes(closes)
  })

  it('closes nothing that was connected since', async () => {
    const { connection, client } = setUp({ sessionId: 's1' })
    client.listTools.mockImplementation(async () => {
      client.transport = transportOf('s2')
      throw notFound
    })
    await expect(connection.listTools()).rejects.toBeInstanceOf(ConnectionFailedError)
    expect(client.close).not.toHaveBeenCalled()
  })
})

describe('the connection of an SDK v2 client', () => {
  it.each([
    ['modern', undefined, TASKS, 'server/discover'],
    ['modern', 'auto', TASKS, 'server/discover'],
    ['modern', 'auto', {}, "try era: 'legacy'"],
    ['legacy', 'legacy', {}, "The option era: 'legacy' asked for initialize"],
    ['legacy', 'auto', {}, 'The server does not know server/discover'],
    ['legacy', undefined, {}, 'The SDK client of the app connected by initialize'],
    ['none', undefined, {}, 'The SDK client of the app connected by initialize'],
  ] as const)('of %s, asked for %s, with %j, says why', async (negotiated, era, serverCapabilities, reason) => {
    const { connection, states } = setUp({ negotiated, serverCapabilities, ...(era && { era }) })
    await connection.connect()
    expect(states.at(-1)).toEqual({
      status: 'connected',
      era: negotiated === 'modern' ? 'modern' : 'legacy',
      eraReason: expect.stringContaining(reason),
      protocolVersion: '2026-07-28',
      server: { name: 'server', version: '1' },
      tasks: serverCapabilities === TASKS,
    })
    expect(states.at(-1)?.eraReason?.includes("try era: 'legacy'")).toBe(reason.startsWith('try'))
  })

  it('that names no tasks to a client of the app, which has chosen its era, says nothing of another one', async () => {
    const { connection, states } = setUp({ serverCapabilities: {} })
    await connection.connect()
    expect(states.at(-1)?.eraReason).not.toContain('era:')
  })

  it('has no era before it is open, where nothing was negotiated', async () => {
    const { connection, client } = setUp({ negotiated: 'none' })
    client.transport = undefined
    await connection.connect()?.catch(() => {})
    expect(connection.era()).toBe('modern')
    client.transport = transportOf()
    await connection.connect()
    expect(connection.era()).toBe('legacy')
  })

  it('says nothing that the client does not know', async () => {
    const { connection, client, states } = setUp()
    Object.assign(client, { getNegotiatedProtocolVersion: () => undefined, getServerVersion: () => undefined })
    await connection.connect()
    expect(Object.keys(states.at(-1) ?? {})).toEqual(['status', 'era', 'eraReason', 'tasks'])
  })

  it('is made anew where it was lost', async () => {
    const createTransport = vi.fn(() => transportOf())
    const { connection, client } = setUp({ createTransport })
    await connection.listTools()
    await connection.listTools()
    expect(createTransport).not.toHaveBeenCalled()
    client.transport = undefined
    await connection.listTools()
    expect(client.connect).toHaveBeenCalledOnce()
    expect(createTransport).toHaveBeenCalledOnce()
  })

  it('connects nothing that is closed while its transport is made', async () => {
    const made = transportOf()
    const closes = vi.spyOn(made, 'close')
    let make: (transport: Transport) => void = () => {}
    const { connection, client } = setUp({ createTransport: () => new Promise((resolve) => (make = resolve)) })
    client.transport = undefined
    const connecting = connection.connect()
    await settle()
    await connection.close()
    make(made)
    await expect(connecting).rejects.toThrow('closed')
    expect(client.connect).not.toHaveBeenCalled()
    expect(closes).toHaveBeenCalled()
  })

  it('closes what it connects over, before it is connected', async () => {
    const made = transportOf()
    const closes = vi.spyOn(made, 'close')
    const { connection, client } = setUp({ createTransport: () => made })
    client.transport = undefined
    client.connect.mockImplementation(() => new Promise(() => {}))
    connection.connect()?.catch(() => {})
    await settle()
    await connection.close()
    expect(closes).toHaveBeenCalledOnce()
    expect(client.close).not.toHaveBeenCalled()
  })

  it.each([
    ['nothing', undefined, undefined],
    ['what the options say', { roots: {} }, undefined],
    ['something else in the options', { sampling: {} }, 'roots'],
  ])('misses what was not declared where that is %s', (_, capabilities, expected) => {
    expect(setUp(capabilities && { capabilities }).connection.missingCapability(ROOTS)).toBe(expected)
  })

  it('misses what the transport has not seen declared', () => {
    const { connection, client, transport } = setUp()
    transport.capabilities = { sampling: {} }
    expect(connection.missingCapability(ROOTS)).toBe('roots')
    client.transport = undefined
    expect(connection.missingCapability(ROOTS)).toBeUndefined()
  })

  it('has a sign-in tried again by the transport, too', async () => {
    const { connection, transport } = setUp()
    const allowed = vi.spyOn(transport, 'allowSignIn')
    await connection.connectForApp()
    expect(allowed).toHaveBeenCalled()
    const signIn = {
      isHeld: () => false,
      send: <T>(run: () => Promise<T>) => run(),
      sendForApp: <T>(run: () => Promise<T>) => run(),
      hold: () => {},
      allow: vi.fn(),
    }
    await setUp({ signIn }).connection.connectForApp()
    expect(signIn.allow).toHaveBeenCalledOnce()
  })
})
