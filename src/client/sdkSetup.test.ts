import { createSimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createSdkV1Connection } from '../connection/sdkV1/sdkV1Connection.js'
import { createHttpTransport } from '../connection/sdkV2/httpTransport.js'
import { createSdkV2Connection } from '../connection/sdkV2/sdkV2Connection.js'
import type { WirePiece } from '../connection/wireTap.js'
import { setUpSdk } from './sdkSetup.js'
import type { ConnectionOptions } from './setUp.js'

vi.mock(import('../connection/sdkV1/sdkV1Connection.js'), () => ({ createSdkV1Connection: vi.fn() }))
vi.mock(import('../connection/sdkV2/sdkV2Connection.js'), () => ({ createSdkV2Connection: vi.fn() }))
vi.mock(import('../connection/sdkV2/httpTransport.js'), async (original) => ({
  ...(await original()),
  createHttpTransport: vi.fn(),
}))

const { environment } = createSimulatedEnvironment()
const url = 'https://mcp.example/mcp'
const setUp = (options: unknown) => setUpSdk(options as Parameters<typeof setUpSdk>[0], environment, () => {})

const v2 = { getProtocolEra: () => undefined }
const v1 = { request: () => {}, listTools: () => {}, getServerCapabilities: () => {}, close: () => {} }
const retry = { attempts: 3 } as ConnectionOptions['retry']
const connection: ConnectionOptions = {
  environment,
  randomId: () => 'id',
  onState: () => {},
  onIssue: () => {},
  callTimeoutMs: 60_000,
  tap: {},
  retry,
}

/** What a connection over SDK v2 is made with. */
function made(options: object, given = connection) {
  setUp(options).createConnection(given)
  return vi.mocked(createSdkV2Connection).mock.calls[0]?.[0]
}

beforeEach(() => {
  vi.clearAllMocks()
})

describe('the target of a client', () => {
  it.each([[undefined], [null], ['text'], [{}], [{ url: '' }], [{ client: undefined }]])(
    'is missing in %o',
    (options) => {
      expect(() => setUp(options)).toThrow('createTaskClient needs a server')
    },
  )

  it.each([[null], ['text'], [5], [{}], [{ close: () => {} }]])('is no SDK client where it is %o', (client) => {
    expect(() => setUp({ client })).toThrow('The client is no SDK client.')
  })

  it('is the URL where a client is named and undefined', () => {
    expect(setUp({ client: undefined, url }).endpoint).toBe(url)
  })

  it.each([
    [{ url, era: 'new' }, 'era'],
    [{ url, era: undefined, legacy: { tasks: 'some' } }, 'legacy.tasks'],
    [{ url, urll: 'x' }, 'urll'],
    [
      { url, headers: { a: 'b' }, transportOptions: { requestInit: { headers: { a: 'c' } } } },
      'the option headers alone',
    ],
    [{ client: v2, headers: { a: 'b' } }, 'headers and a client'],
  ])('is refused with %o', (options, message) => {
    vi.spyOn(console, 'warn').mockImplementation((text) => {
      throw new Error(String(text))
    })
    expect(() => setUp(options)).toThrow(message)
  })

  it.each([
    ...[{ era: 'auto' }, { era: 'modern' }, { era: 'legacy' }, {}, { headers: { a: 'b' } }],
    ...[{ headers: { a: 'b' }, transportOptions: {} }, { transportOptions: { requestInit: { headers: { a: 'b' } } } }],
  ])('is taken with %o', (options) => {
    expect(setUp({ url, ...options }).endpoint).toBe(url)
  })
})

describe('a connection over an SDK client', () => {
  const legacy = { mode: 'auto', ttlMs: undefined, environment, addressesSessions: false }

  it('of v1 is made with what its client says', () => {
    setUp({ client: v1 }).createConnection(connection)
    expect(vi.mocked(createSdkV1Connection).mock.calls).toEqual([[{ ...connection, client: v1, legacy }]])
    expect(createSdkV2Connection).not.toHaveBeenCalled()
  })

  it('of v2 is made once, without a transport to make it again', () => {
    expect(made({ client: v2 })).toStrictEqual({
      ...connection,
      client: v2,
      createTransport: undefined,
      onMessage: expect.any(Function),
      url: undefined,
      retry: undefined,
      legacy,
    })
  })

  it('of v2 is not made again over a transport that is given as it is', () => {
    const options = made({ client: v2, transport: { start: () => {} } })
    expect(options?.createTransport).toBeTypeOf('function')
    expect(options?.retry).toBeUndefined()
  })

  it('of v2 is made again at any time where transports are made', () => {
    const options = made({ client: v2, transport: () => ({}) })
    expect(options?.retry).toEqual({ ...retry, earliestAt: expect.any(Function) })
    expect(options?.retry?.earliestAt()).toBe(0)
  })

  it('of v2 shows its messages on the wire', () => {
    const pieces: WirePiece[] = []
    const message = { jsonrpc: '2.0', method: 'x' } as const
    made({ client: v2 }, { ...connection, tap: { onWire: (piece) => pieces.push(piece) } })?.onMessage?.(message, true)
    expect(pieces).toEqual([{ at: environment.now(), message, isSent: true }])
  })

  it.each([
    ['v1', v1],
    ['v2', v2],
  ])('of %s has nobody to sign in with', async (_, client) => {
    const signingIn = setUp({ client }).createSigningIn(() => {})
    await expect(signingIn.authorize()).rejects.toThrow('The SDK client of the app signs in by its own transport.')
  })
})

describe('a connection to a URL', () => {
  it('is made again when the server wants to be asked', async () => {
    const options = made({ url })
    expect(options?.retry).toEqual({ ...retry, earliestAt: expect.any(Function) })
    expect(options?.retry?.earliestAt()).toBe(0)
    await options?.createTransport?.()
    vi.mocked(createHttpTransport).mock.calls[0]?.[1].onConnectAt(77)
    expect(options?.retry?.earliestAt()).toBe(77)
  })

  it('addresses sessions of servers of the earlier revision', () => {
    expect(made({ url, legacy: { tasks: 'never', ttlMs: 5 } })?.legacy).toEqual({
      mode: 'never',
      ttlMs: 5,
      environment,
      addressesSessions: true,
    })
  })

  it.each([
    ['of ours by its part for the transport', { forServer: () => ({ transport: 'ours' }) }, 'ours'],
    ['of ours that has none', { forServer: () => undefined }, undefined],
    ['of the SDK as it is', 'given', 'given'],
  ])('takes a provider %s', async (_, authProvider, taken) => {
    await made({ url, authProvider })?.createTransport?.()
    expect(vi.mocked(createHttpTransport).mock.calls[0]?.[1].authProvider).toEqual(taken)
  })
})
