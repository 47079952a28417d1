import { describe, expect, it, vi } from 'vitest'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import type { CallToolResult } from '../protocol/callToolResult.js'
import { ConnectionFailedError, TaskExpiredError } from '../protocol/errors.js'
import type { Tool } from '../protocol/tool.js'
import type { ConnectionState } from './connection.js'
import { createConnection } from './createConnection.js'
import type { ConnectedSdk, SdkAdapter } from './sdkAdapter.js'
import { credentialsError } from './signInErrors.js'
import type { TaskApi, TaskOptIn } from './taskApi.js'
import { HttpError } from './wireErrors.js'

const RESULT: CallToolResult = { content: [] }
const CONNECTED: ConnectionState = { status: 'connected', era: 'modern', tasks: true }
const refusal = () => new HttpError(401, 'sign in')

/** A connection over an SDK that does what it is told. */
function setUp({ failure, ...adapter }: Partial<SdkAdapter> & { failure?: unknown } = {}) {
  const { environment } = createSimulatedEnvironment()
  const states: ConnectionState[] = []
  const optIn: Pick<TaskApi, 'optIn'> = {}
  const tasks = {
    ...optIn,
    isServed: true,
    keyTtlMs: 5000,
    getTask: vi.fn<TaskApi['getTask']>(),
    updateTask: vi.fn(async () => {}),
    cancelTask: vi.fn(async () => {}),
    listen: vi.fn(async () => {}),
    release: vi.fn(),
    close: vi.fn(),
  }
  const sdk = {
    state: CONNECTED,
    tasks,
    callTool: vi.fn<ConnectedSdk['callTool']>(async () => ({ type: 'result', result: RESULT })),
    validate: vi.fn(async (_: string, result: CallToolResult) => result),
    listTools: vi.fn<ConnectedSdk['listTools']>(async () => []),
    isLost: () => false,
  }
  let failing = failure
  const open = vi.fn(async () => {
    if (failing !== undefined) throw failing
    return sdk
  })
  const signIn = {
    isHeld: () => false,
    send: <T>(request: () => Promise<T>) => request(),
    sendForApp: <T>(request: () => Promise<T>) => request(),
    allow: vi.fn(),
    hold: vi.fn(),
  }
  const connection = createConnection({
    sdk: { era: () => 'modern', missingCapability: () => undefined, open, close: async () => {}, ...adapter },
    url: 'https://tasks.example/mcp',
    onState: (state) => states.push(state),
    callTimeoutMs: 1000,
    environment,
    signIn,
  })
  const statuses = () => states.map(({ status }) => status)
  return { connection, sdk, tasks, open, signIn, states, statuses, fail: (error: unknown) => (failing = error) }
}

const hooks = () => ({
  beforeSend: vi.fn(async (_: number): Promise<string | undefined> => undefined),
  ask: () => new Promise<never>(() => {}),
  onProgress: () => {},
  signal: new AbortController().signal,
})
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it.each([
  ['legacy', 'legacy'],
  ['modern', 'modern'],
  [undefined, 'modern'],
] as const)('the era of a connection that has negotiated %s is %s', (era, expected) => {
  expect(setUp({ era: () => era }).connection.era()).toBe(expected)
})

describe('a server that asks for credentials', () => {
  it('makes the connection unauthorized, and the next request that passes makes it connected', async () => {
    const { connection, sdk, states } = setUp()
    await connection.listTools()
    sdk.listTools.mockRejectedValueOnce(refusal())
    await expect(connection.listTools()).rejects.toThrow()
    expect(states.at(-1)).toEqual({ ...CONNECTED, status: 'unauthorized', error: expect.any(HttpError) })
    await connection.listTools()
    expect(states.at(-1)).toEqual(CONNECTED)
    expect(states).toHaveLength(3)
  })

  it('is told once, however many requests it refuses', async () => {
    const { connection, sdk, statuses } = setUp()
    await connection.listTools()
    sdk.listTools.mockRejectedValue(refusal())
    for (let count = 0; count < 3; count++) await connection.listTools().catch(() => {})
    expect(statuses()).toEqual(['connected', 'unauthorized'])
  })

  it('still does where a request passes that was sent before', async () => {
    const { connection, sdk, statuses } = setUp()
    await connection.listTools()
    let pass: (tools: Tool[]) => void = () => {}
    sdk.listTools.mockImplementationOnce(() => new Promise((resolve) => (pass = resolve)))
    const before = connection.listTools()
    await settle()
    sdk.listTools.mockRejectedValueOnce(refusal())
    await connection.listTools().catch(() => {})
    pass([])
    await before
    expect(statuses()).toEqual(['connected', 'unauthorized'])
  })

  it('is no matter of a connection that is closed', async () => {
    const { connection, sdk, statuses } = setUp()
    await connection.listTools()
    let fail: (error: unknown) => void = () => {}
    sdk.listTools.mockImplementationOnce(() => new Promise((_, reject) => (fail = reject)))
    const before = connection.listTools()
    await settle()
    await connection.close()
    fail(refusal())
    await expect(before).rejects.toThrow()
    expect(statuses()).toEqual(['connected', 'closed'])
  })

  it('is an error of kind auth where it does so at the start', async () => {
    await expect(setUp({ failure: refusal() }).connection.connect()).rejects.toMatchObject({ kind: 'auth' })
    const other = setUp({ failure: new HttpError(404, 'Not Found') })
    await expect(other.connection.connect()).rejects.toBeInstanceOf(ConnectionFailedError)
  })

  it('says nothing where a request fails otherwise, or passes as ever', async () => {
    const { connection, sdk, statuses } = setUp()
    await connection.listTools()
    sdk.listTools.mockRejectedValueOnce(new TypeError('fetch failed'))
    await connection.listTools().catch(() => {})
    await connection.listTools()
    expect(statuses()).toEqual(['connected'])
  })
})

describe('signedIn()', () => {
  const denied = new Error('denied')

  it('has a sign-in tried again, and connects where there is no connection', async () => {
    const { connection, signIn, open, statuses } = setUp()
    connection.signedIn()
    await settle()
    expect(signIn.allow).toHaveBeenCalledOnce()
    expect(open).toHaveBeenCalledOnce()
    expect(statuses()).toEqual(['connected'])
  })

  it('makes a connection connected that was unauthorized', async () => {
    const { connection, sdk, open, statuses } = setUp()
    await connection.listTools()
    sdk.listTools.mockRejectedValueOnce(refusal())
    await connection.listTools().catch(() => {})
    connection.signedIn()
    await settle()
    expect(statuses()).toEqual(['connected', 'unauthorized', 'connected'])
    expect(open).toHaveBeenCalledOnce()
  })

  it('connects after a sign-in that came to nothing before there was a connection', async () => {
    const { connection, states, statuses } = setUp()
    connection.signedIn(denied)
    connection.signedIn()
    await settle()
    expect(states).not.toContain(undefined)
    expect(statuses()).toEqual(['unauthorized', 'connected'])
  })

  it('leaves it to the next use to connect again where the connection was lost', async () => {
    const { connection, sdk, open } = setUp()
    await connection.listTools()
    sdk.isLost = () => true
    connection.signedIn()
    await settle()
    expect(open).toHaveBeenCalledOnce()
    await connection.listTools()
    expect(open).toHaveBeenCalledTimes(2)
  })

  it('leaves a rejection to nobody where it cannot connect', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    setUp({ failure: new HttpError(404, '') }).connection.signedIn()
    await settle()
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it.each([
    ['makes a connection unauthorized that is none yet', false, ['unauthorized']],
    ['leaves a connection alone', true, ['connected']],
  ])('with an error %s', async (_, isConnected, expected) => {
    const { connection, signIn, statuses } = setUp()
    if (isConnected) await connection.listTools()
    connection.signedIn(denied)
    expect(statuses()).toEqual(expected)
    expect(signIn.allow).not.toHaveBeenCalled()
  })
})

it('connecting for the app has a sign-in tried again that failed', async () => {
  const { connection, signIn, open } = setUp()
  await connection.connectForApp()
  expect(signIn.allow).toHaveBeenCalledOnce()
  expect(open).toHaveBeenCalledOnce()
})

describe('a call by a connection', () => {
  it('carries the key that it is given, and how long the server keeps it is told before', async () => {
    const { connection, sdk } = setUp()
    const given = { ...hooks(), beforeSend: vi.fn(async (_: number) => 'key') }
    expect(await connection.callTool({ name: 'report' }, given)).toEqual({ type: 'result', result: RESULT })
    expect(given.beforeSend).toHaveBeenCalledExactlyOnceWith(5000)
    expect(sdk.callTool.mock.calls[0]?.[1]).toMatchObject({ idempotencyKey: 'key' })
  })

  it.each(['resolves', 'rejects'])('ends how it asks for a task when it %s', async (way) => {
    const { connection, tasks, sdk } = setUp()
    const end = vi.fn()
    const optIn = { end } as unknown as TaskOptIn
    const { onProgress, ...given } = hooks()
    tasks.optIn = vi.fn(async () => optIn)
    sdk.callTool.mockImplementation(() =>
      way === 'rejects' ? Promise.reject(new Error('no')) : Promise.resolve({ type: 'result', result: RESULT }),
    )
    await connection.callTool({ name: 'report' }, { ...given, onProgress }).catch(() => {})
    expect(tasks.optIn).toHaveBeenCalledExactlyOnceWith('report', onProgress)
    expect(sdk.callTool.mock.calls[0]?.[1]).toMatchObject({ optIn })
    expect(end).toHaveBeenCalledOnce()
  })

  it('fails as connecting does where the server does not say how to ask for a task', async () => {
    const { connection, tasks } = setUp()
    tasks.optIn = () => Promise.reject(new HttpError(503, 'busy'))
    await expect(connection.callTool({ name: 'report' }, hooks())).rejects.toBeInstanceOf(ConnectionFailedError)
  })

  it.each(['connect', 'optIn', 'beforeSend'])('is not sent where it is given up before, during %s', async (step) => {
    const { connection, tasks, sdk, open } = setUp()
    const controller = new AbortController()
    const reason = new Error('enough')
    const at = async (now: string): Promise<undefined> => {
      if (now === step) controller.abort(reason)
    }
    open.mockImplementationOnce(() => at('connect').then(() => sdk))
    tasks.optIn = () => at('optIn')
    const given = { ...hooks(), beforeSend: () => at('beforeSend'), signal: controller.signal }
    await expect(connection.callTool({ name: 'report' }, given)).rejects.toBe(reason)
    expect(sdk.callTool).not.toHaveBeenCalled()
  })

  it('without hooks goes by its signal, where it has one', async () => {
    const { connection, sdk } = setUp()
    const reason = new Error('enough')
    await expect(connection.callToolRaw({ name: 'report' }, AbortSignal.abort(reason))).rejects.toBe(reason)
    await connection.callToolRaw({ name: 'report' }, undefined)
    expect(sdk.callTool).toHaveBeenCalledOnce()
  })
})

describe('a result that another tab has brought', () => {
  it('is validated', async () => {
    const { connection, sdk } = setUp()
    const other: CallToolResult = { content: [], isError: true }
    sdk.validate.mockResolvedValueOnce(other)
    expect(await connection.completeCall('report', RESULT)).toBe(other)
    expect(sdk.validate).toHaveBeenCalledExactlyOnceWith('report', RESULT)
  })

  it.each([
    ['there is no connection', { failure: new HttpError(404, '') }],
    [
      'there are no credentials',
      { failure: credentialsError(Object.assign(new Error('no'), { name: 'UnauthorizedError' })) },
    ],
  ])('is the result where %s', async (_, options) => {
    expect(await setUp(options).connection.completeCall('report', RESULT)).toBe(RESULT)
  })

  it('is none where it is invalid', async () => {
    const { connection, sdk } = setUp()
    const invalid = new Error('invalid')
    sdk.validate.mockRejectedValueOnce(invalid)
    await expect(connection.completeCall('report', RESULT)).rejects.toBe(invalid)
  })
})

describe('isRepeatable()', () => {
  const tool = (name: string, annotations?: object) => ({ name, inputSchema: {}, ...(annotations && { annotations }) })

  it.each([
    ['reads', true],
    ['repeats', true],
    ['both', true],
    ['writes', false],
    ['says nothing', false],
    ['is unknown', false],
  ])('of a tool that %s is %s', async (name, expected) => {
    const { connection, sdk } = setUp()
    sdk.listTools.mockResolvedValue([
      tool('says nothing'),
      tool('writes', { readOnlyHint: false, idempotentHint: 'true' }),
      tool('reads', { readOnlyHint: true }),
      tool('repeats', { idempotentHint: true }),
      tool('both', { idempotentHint: true, readOnlyHint: true }),
    ] as Tool[])
    expect(await connection.isRepeatable(name)).toBe(expected)
  })

  it('is false where the server cannot be asked', async () => {
    expect(await setUp({ failure: new HttpError(503, '') }).connection.isRepeatable('reads')).toBe(false)
  })
})

describe('a task by a connection', () => {
  it('is let go of where there is a connection', async () => {
    const { connection, tasks } = setUp()
    expect(() => connection.release?.('t1')).not.toThrow()
    await connection.connect()
    connection.release?.('t1')
    expect(tasks.release).toHaveBeenCalledExactlyOnceWith('t1')
  })

  it('says where the server speaks another revision by now', async () => {
    const { connection, tasks } = setUp()
    tasks.getTask.mockRejectedValue(new TaskExpiredError('unknown-task', { taskId: 't1' }))
    const { signal } = new AbortController()
    await expect(connection.getTask('t1', signal, { era: 'legacy', inputRequests: {} })).rejects.toThrow(
      'now it speaks 2026-07-28',
    )
    expect(tasks.getTask).toHaveBeenCalledWith('t1', signal, {})
  })

  it('is asked of the server with what was given', async () => {
    const { connection, tasks } = setUp()
    const { signal } = new AbortController()
    const listening = { onTask: () => {}, onHint: () => {}, onAcknowledged: () => {}, signal }
    await connection.updateTask('t1', { a: {} }, signal)
    await connection.cancelTask('t1', signal)
    await connection.listen(['t1'], listening)
    expect(tasks.updateTask).toHaveBeenCalledWith('t1', { a: {} }, signal)
    expect(tasks.cancelTask).toHaveBeenCalledWith('t1', signal)
    expect(tasks.listen).toHaveBeenCalledWith(['t1'], listening)
  })
})
