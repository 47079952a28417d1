import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, vi } from 'vitest'
import type { CallToolResult } from '../../core/protocol/callToolResult.js'
import {
  TaskConfigurationError,
  TaskProtocolError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../../core/protocol/errors.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { ProtocolError } from '../sdk.js'
import { openSdkV1Alone } from './alone.js'
import { openBesideSdkV2 } from './besideSdkV2.js'
import type { SdkV1Client } from './client.js'
import type { OpenSdkV1Options } from './openSdkV1.js'
import { createSdkV1Connection } from './sdkV1Connection.js'

type OpenOptions = Omit<OpenSdkV1Options, 'validator'>

const AT = '2025-11-25T10:00:00Z'
const TASK = { taskId: 't1', status: 'working', createdAt: AT, lastUpdatedAt: AT, ttl: null }
const RESULT: CallToolResult = { content: [{ type: 'text', text: 'done' }] }
const outputSchema = { type: 'object', properties: { pages: { type: 'integer' } }, required: ['pages'] }
const QUESTION = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } }
const TOOLS = [
  null,
  { name: 'report', inputSchema: {}, execution: { taskSupport: 'required' } },
  { name: 'count', inputSchema: {}, outputSchema },
]

type Fallback = (message: object, extra: { signal: AbortSignal }) => Promise<unknown>

/** A client of SDK v1, as far as it is used: `request` answers each request. */
function setUp(overrides: Partial<SdkV1Client> = {}) {
  const { environment } = createSimulatedEnvironment()
  const request = vi.fn<(message: { method: string; params?: object }, schema: unknown, options: object) => unknown>(
    async () => RESULT,
  )
  const listTools = vi.fn<SdkV1Client['listTools']>(async () => ({ tools: TOOLS }))
  const client = {
    transport: { protocolVersion: '2025-11-25' },
    request,
    listTools,
    getServerCapabilities: () => ({ tasks: { requests: { tools: { call: {} } } } }),
    getServerVersion: () => ({ name: 'server', version: '1', title: 'Server' }),
    close: vi.fn(async () => {}),
    ...overrides,
  } as unknown as SdkV1Client & { fallbackRequestHandler: Fallback; transport?: object }
  const legacy = { mode: 'auto' as const, ttlMs: undefined, environment, addressesSessions: false }
  const options = { client, legacy, onIssue: () => {} }
  /** What the server asks by itself. */
  const ask = (id: number, params: object = QUESTION) =>
    client.fallbackRequestHandler(
      { jsonrpc: '2.0', id, method: 'elicitation/create', params },
      { signal: new AbortController().signal },
    )
  return { client, request, listTools, options, environment, ask, open: () => openBesideSdkV2(options) }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const never = () => new Promise<never>(() => {})

describe('openSdkV1()', () => {
  it('says who the server is, and what it speaks', () => {
    expect(setUp().open().state).toEqual({
      status: 'connected',
      era: 'legacy',
      eraReason: expect.stringContaining('SDK v1 client'),
      protocolVersion: '2025-11-25',
      server: { name: 'server', version: '1' },
      tasks: true,
    })
  })

  it('says nothing that the client does not know', () => {
    const client = { transport: {}, getServerVersion: () => undefined, getServerCapabilities: () => ({}) }
    const { state } = setUp(client).open()
    expect(state).toStrictEqual({ status: 'connected', era: 'legacy', eraReason: expect.any(String), tasks: false })
  })

  it('takes no client that is not connected', () => {
    const getServerCapabilities = () => undefined
    expect(() => setUp({ transport: undefined, getServerCapabilities }).open()).toThrow(TaskConfigurationError)
  })

  it('is lost once the client has another transport', () => {
    const { client, open } = setUp()
    const sdk = open()
    expect(sdk.isLost()).toBe(false)
    Object.assign(client, { transport: {} })
    expect(sdk.isLost()).toBe(true)
  })

  it('gives the client its handlers back when it is closed, and watches the page no more', () => {
    const stopWatching = vi.fn()
    const { client, options, environment } = setUp()
    const legacy = { ...options.legacy, environment: { ...environment, onPageHide: () => stopWatching } }
    const sdk = openBesideSdkV2({ ...options, legacy })
    expect(client.fallbackRequestHandler).toBeDefined()
    sdk.tasks.close()
    expect(client.fallbackRequestHandler).toBeUndefined()
    expect(stopWatching).toHaveBeenCalledOnce()
    expect(client.close).not.toHaveBeenCalled()
  })
})

describe('listTools() by SDK v1', () => {
  it('reads page after page', async () => {
    const { listTools, open } = setUp()
    listTools.mockResolvedValueOnce({ tools: ['a'], nextCursor: 'two' }).mockResolvedValueOnce({ tools: ['b', 'c'] })
    expect(await open().listTools()).toEqual(['a', 'b', 'c'])
    expect(listTools.mock.calls).toStrictEqual([[{}], [{ cursor: 'two' }]])
  })

  it('ends where a page is the one before again, with the same cursor', async () => {
    const { listTools, open } = setUp()
    listTools.mockResolvedValue({ tools: ['a'], nextCursor: '' })
    expect(await open().listTools()).toEqual(['a'])
    expect(listTools).toHaveBeenCalledTimes(2)
  })

  it('reads 64 pages, and rejects where the list has more', async () => {
    const { listTools, open } = setUp()
    const last = 64
    let page = 0
    listTools.mockImplementation(async () => ({ tools: ['a'], ...(++page < last && { nextCursor: `${page}` }) }))
    expect(await open().listTools()).toHaveLength(64)
    page = -last
    await expect(open().listTools()).rejects.toMatchObject({ code: 'INVALID_RESULT' })
    expect(listTools).toHaveBeenCalledTimes(128)
  })
})

describe('callTool() by SDK v1', () => {
  const { signal } = new AbortController()

  it('sends what it is given, and brings the result', async () => {
    const { request, open } = setUp()
    const meta = () => ({ trace: 'x' })
    const call = { name: 'print', arguments: { tray: 2 }, meta }
    expect(await open().callTool(call, {}, undefined)).toEqual({ type: 'result', result: RESULT })
    const params = { name: 'print', arguments: { tray: 2 }, _meta: { trace: 'x' } }
    expect(request.mock.calls[0]?.[0]).toEqual({ method: 'tools/call', params })
    await open().callTool({ name: 'print' }, {}, undefined)
    expect(request.mock.calls[1]?.[0]).toEqual({ method: 'tools/call', params: { name: 'print', arguments: {} } })
  })

  it('asks for a task where the tool wants one, and brings it', async () => {
    const { request, open } = setUp()
    request.mockResolvedValue({ task: TASK })
    const sdk = open()
    const onProgress = vi.fn()
    const optIn = await sdk.tasks.optIn?.('report', onProgress)
    const response = await sdk.callTool({ name: 'report' }, { optIn }, signal)
    expect(response).toMatchObject({ type: 'task', task: { taskId: 't1', status: 'working' } })
    const [message, , options] = request.mock.calls[0] ?? []
    expect(message?.params).toEqual({ name: 'report', arguments: {}, task: {} })
    expect(options).toMatchObject({ onprogress: optIn?.onProgress })
  })

  it('brings a result where the tool wanted a task', async () => {
    const sdk = setUp().open()
    const optIn = await sdk.tasks.optIn?.('report')
    expect(await sdk.callTool({ name: 'report' }, { optIn }, signal)).toEqual({ type: 'result', result: RESULT })
  })

  it.each([
    ['a task that nobody has asked for', { task: TASK, content: 'no' }],
    ['what is no object', 'done'],
    ['a malformed result', { content: 'done' }],
  ])('fails where the server answers with %s', async (_, answer) => {
    const { request, open } = setUp()
    request.mockResolvedValue(answer)
    const call = open().callTool({ name: 'print' }, {}, signal)
    await expect(call).rejects.toBeInstanceOf(TaskProtocolError)
    await expect(call).rejects.toMatchObject({ source: 'tools/call' })
  })

  it.each([
    [
      'the server refuses',
      Object.assign(new Error('MCP error -32602: no'), { name: 'McpError', code: -32602 }),
      ToolCallRejectedError,
    ],
    ['the network breaks', new TypeError('fetch failed'), ToolCallInterruptedError],
  ])('fails where %s', async (_, error, type) => {
    const { request, open } = setUp()
    request.mockRejectedValue(error)
    await expect(open().callTool({ name: 'print' }, {}, undefined)).rejects.toBeInstanceOf(type)
  })

  it('ends with the reason where it is given up', async () => {
    const { request, open } = setUp()
    const controller = new AbortController()
    const reason = new Error('enough')
    request.mockImplementation(async () => {
      controller.abort(reason)
      throw new TypeError('aborted')
    })
    await expect(open().callTool({ name: 'print' }, {}, controller.signal)).rejects.toBe(reason)
  })
})

const openings = [
  ['beside SDK v2', openBesideSdkV2, ProtocolError],
  ['alone', (options: OpenOptions) => openSdkV1Alone({ ...options, schemaValidator: undefined }), McpError],
] as const

describe.each(openings)('the output of a tool called by SDK v1 %s', (_, openBy, errorClass) => {
  const structured = (structuredContent: unknown, more = {}) => ({ ...RESULT, structuredContent, ...more })

  it.each([
    ['that is right', 'count', structured({ pages: 3 })],
    ['that is an error', 'count', { ...RESULT, isError: true }],
    ['of a tool that declares none', 'report', RESULT],
    ['of a tool that nobody knows', 'other', structured({ pages: 'three' })],
  ])('%s is its result', async (_name, name, result) => {
    const { request, options } = setUp()
    request.mockResolvedValue(result)
    const sdk = openBy(options)
    await sdk.listTools()
    expect(await sdk.callTool({ name }, {}, undefined)).toEqual({ type: 'result', result })
    expect(await sdk.validate(name, result)).toEqual(result)
  })

  it.each([
    ['missing', RESULT, { code: -32600, message: expect.stringContaining('did not return structured content') }],
    ['wrong', structured({ pages: 'three' }), { code: -32602, message: expect.stringContaining('does not match') }],
    ['missing of what is no error', { ...RESULT, isError: false }, { code: -32600 }],
  ])('is an error where it is %s', async (_name, result, expected) => {
    const { request, options } = setUp()
    request.mockResolvedValue(result)
    const sdk = openBy(options)
    expect(await sdk.validate('count', result)).toEqual(result)
    await sdk.listTools()
    await expect(sdk.validate('count', result)).rejects.toMatchObject(expected)
    await expect(sdk.validate('count', result)).rejects.toBeInstanceOf(errorClass)
    await expect(sdk.callTool({ name: 'count' }, {}, undefined)).rejects.toMatchObject(expected)
  })
})

it('the output of a tool called by SDK v1 alone is validated by the validator of the app', async () => {
  const { request, options } = setUp()
  request.mockResolvedValue({ ...RESULT, structuredContent: { pages: 'three' } })
  const getValidator = vi.fn(() => (value: unknown) => ({ valid: value === undefined }))
  const sdk = openSdkV1Alone({ ...options, schemaValidator: { getValidator } })
  await sdk.listTools()
  await expect(sdk.callTool({ name: 'count' }, {}, undefined)).rejects.toThrow('it is not valid')
  expect(getValidator).toHaveBeenCalledWith(outputSchema)
})

describe('what a server asks an SDK v1 client without naming a task', () => {
  it('is asked of the newest call that can be asked, and of none that is over', async () => {
    const { request, open, ask } = setUp()
    const ends: (() => void)[] = []
    request.mockImplementation(() => new Promise((resolve) => ends.push(() => resolve(RESULT))))
    const sdk = open()
    const asked: unknown[] = []
    const askOf =
      (name: string) =>
      async (key: string, { method }: { method: string }, signal: AbortSignal) => {
        asked.push([name, key, method, signal.aborted])
        return { action: 'accept', content: { name } }
      }
    const calls = ['first', 'second'].map((name) => sdk.callTool({ name }, { ask: askOf(name) }, undefined))
    calls.push(sdk.callTool({ name: 'third' }, {}, undefined))
    await settle()
    expect(await ask(5)).toEqual({ action: 'accept', content: { name: 'second' } })
    ends[2]?.()
    ends[0]?.()
    await Promise.all([calls[2], calls[0]])
    expect(await ask(6)).toEqual({ action: 'accept', content: { name: 'second' } })
    ends[1]?.()
    await calls[1]
    await expect(ask(7)).rejects.toMatchObject({ code: -32601 })
    expect(asked).toEqual(['5', '6'].map((key) => ['second', key, 'elicitation/create', false]))
  })

  it('is refused where it is no input request', async () => {
    const { request, open, ask } = setUp()
    request.mockImplementation(never)
    const asked = vi.fn(never)
    void open().callTool({ name: 'print' }, { ask: asked }, undefined)
    await settle()
    await expect(ask(5, { message: 7 })).rejects.toMatchObject({ code: -32601 })
    expect(asked).not.toHaveBeenCalled()
  })
})

it('a connection over an SDK v1 client uses what its owner has connected, and does not close it', async () => {
  const { options, client, environment, open } = setUp()
  const onState = vi.fn()
  const connection = createSdkV1Connection({
    ...options,
    environment,
    callTimeoutMs: 1000,
    onState,
    open: async () => open(),
  })
  expect(connection.era()).toBe('legacy')
  expect(connection.missingCapability({ method: 'roots/list', params: {} })).toBeUndefined()
  expect(await connection.callToolRaw({ name: 'print' }, undefined)).toEqual({ type: 'result', result: RESULT })
  expect(onState).toHaveBeenLastCalledWith(expect.objectContaining({ status: 'connected', era: 'legacy' }))
  await connection.close()
  expect(client.close).not.toHaveBeenCalled()
})
