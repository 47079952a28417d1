import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { authorize, finishAuthorization } from '../connection/authorization.js'
import type { BrowserSignIn } from '../connection/authProvider.js'
import type { SignInByToken } from '../connection/signIn.js'
import { createSignInFlow } from './signInFlow.js'
import type { ServerSignIn } from './signingIn.js'

vi.mock(import('../connection/authorization.js'), () => ({ authorize: vi.fn(), finishAuthorization: vi.fn() }))

const URL_OF_SERVER = new URL('https://mcp.example/mcp')
const CALLBACK = 'https://app.example/callback?code=c&state=s'
const { environment } = createSimulatedEnvironment()
const failure = new Error('no')
const fetch = async () => new Response()

/** A provider of the SDK; what it would do is done by the parts that are stubbed. */
const providerOf = (more: object = {}) =>
  ({ redirectToAuthorization: () => {}, ...more }) as never as OAuthClientProvider

function flowOf(more: Partial<ServerSignIn> = {}) {
  const onEnd = vi.fn()
  const provider = providerOf()
  const signIn: ServerSignIn = {
    provider,
    gate: undefined,
    url: () => URL_OF_SERVER,
    fetch,
    environment: { ...environment, baseUrl: () => 'https://app.example/page' },
    skipIssuerMetadataValidation: undefined,
    inBrowser: () => undefined,
    ...more,
  }
  return { onEnd, provider, flow: createSignInFlow(signIn, onEnd) }
}

/** A provider of ours that has begun the sign-in with the state `s`. */
function browserFlow() {
  const own = providerOf()
  const ours = {
    transport: { token: async () => undefined },
    begin: vi.fn<BrowserSignIn['begin']>(),
    take: vi.fn((state: string | null) => (state === 's' ? own : undefined)),
    handOver: vi.fn(async () => {}),
    signOut: vi.fn(),
  }
  return { own, ours, ...flowOf({ provider: { forServer: () => ours }, inBrowser: () => ours }) }
}

const context = { serverUrl: URL_OF_SERVER, fetch, challenge: undefined, skipIssuerMetadataValidation: undefined }

beforeEach(() => {
  vi.mocked(authorize).mockReset().mockResolvedValue('started')
  vi.mocked(finishAuthorization).mockReset().mockResolvedValue()
})

describe('createSignInFlow', () => {
  it.each<[what: string, signIn: ServerSignIn | undefined, message: string]>([
    ['over an SDK client', undefined, 'Pass { url, authProvider } instead of the client.'],
    ['without a provider', { provider: undefined } as ServerSignIn, 'Pass an authProvider to createTaskClient'],
    ['with a provider of tokens alone', { provider: { token: async () => 't' } } as never, 'Pass an authProvider'],
  ])('says that nobody can sign in %s', (_, signIn, message) => {
    expect(() => createSignInFlow(signIn, () => {})).toThrow(message)
  })
})

describe('authorize', () => {
  it.each([
    ['authorized', 1],
    ['started', 0],
  ] as const)('that ends %s calls onEnd %d times', async (outcome, ends) => {
    vi.mocked(authorize).mockResolvedValue(outcome)
    const { flow, onEnd, provider } = flowOf()
    expect(await flow.authorize(undefined)).toBe(outcome)
    expect(onEnd.mock.calls).toEqual(Array.from({ length: ends }, () => []))
    expect(vi.mocked(authorize).mock.calls).toEqual([[provider, context]])
  })

  it.each([
    ['authorized', 1],
    ['started', 0],
  ] as const)('that has begun and ends %s is abandoned %d times', async (outcome, times) => {
    vi.mocked(authorize).mockResolvedValue(outcome)
    const { flow, own } = browserFlow()
    const abandon = vi.fn()
    await flow.authorize({ provider: own, abandon })
    expect(abandon).toHaveBeenCalledTimes(times)
    expect(vi.mocked(authorize).mock.calls[0]?.[0]).toBe(own)
  })

  it('that fails is abandoned', async () => {
    vi.mocked(authorize).mockRejectedValue(failure)
    const { flow, own, onEnd } = browserFlow()
    const abandon = vi.fn()
    await expect(flow.authorize({ provider: own, abandon })).rejects.toBe(failure)
    await expect(flow.authorize(undefined)).rejects.toBe(failure)
    expect(abandon).toHaveBeenCalledTimes(1)
    expect(onEnd).not.toHaveBeenCalled()
  })

  it('passes on what the server said when it refused a request', async () => {
    const challenge = { scope: 'tasks' }
    const { flow, provider } = flowOf({ gate: { challenge } as SignInByToken, skipIssuerMetadataValidation: true })
    await flow.authorize(undefined)
    const given = { ...context, challenge, skipIssuerMetadataValidation: true }
    expect(vi.mocked(authorize).mock.calls).toEqual([[provider, given]])
  })
})

describe('finishAuthorization', () => {
  it('takes one callback once, relative to the page', async () => {
    const { flow, onEnd, provider } = flowOf()
    expect(await flow.finishAuthorization('/callback?code=c&state=s')).toBe('authorized')
    expect(await flow.finishAuthorization(CALLBACK)).toBe('authorized')
    expect(vi.mocked(finishAuthorization).mock.calls).toEqual([[provider, new URL(CALLBACK).searchParams, context]])
    expect(onEnd.mock.calls).toEqual([[]])
    await flow.finishAuthorization(`${CALLBACK}2`)
    expect(finishAuthorization).toHaveBeenCalledTimes(2)
  })

  it('says why it came to nothing', async () => {
    vi.mocked(finishAuthorization).mockRejectedValue(failure)
    const { flow, onEnd } = flowOf()
    await expect(flow.finishAuthorization(CALLBACK)).rejects.toBe(failure)
    expect(onEnd.mock.calls).toEqual([[failure]])
  })

  it('says that it got no URL, without its text', async () => {
    const { flow } = flowOf()
    await expect(flow.finishAuthorization('https://:secret')).rejects.toThrow('finishAuthorization() got no URL.')
  })

  it('finishes the sign-in that has begun in this tab', async () => {
    const { flow, own, ours } = browserFlow()
    expect(await flow.finishAuthorization(CALLBACK)).toBe('authorized')
    expect(vi.mocked(finishAuthorization).mock.calls[0]?.[0]).toBe(own)
    expect(ours.handOver).not.toHaveBeenCalled()
  })

  it('hands over the sign-in that has begun in another tab', async () => {
    const { flow, ours, onEnd } = browserFlow()
    expect(await flow.finishAuthorization('/callback?state=other')).toBe('handed-over')
    expect(ours.handOver.mock.calls).toEqual([[new URLSearchParams('state=other')]])
    expect(finishAuthorization).not.toHaveBeenCalled()
    expect(onEnd).not.toHaveBeenCalled()
  })
})

describe('receive', () => {
  it.each([
    ['s', 1],
    ['other', 0],
  ])('finishes the sign-in with the state %s %d times', async (state, times) => {
    const { flow, onEnd } = browserFlow()
    await flow.receive(new URLSearchParams({ state, code: 'c' }))
    expect(finishAuthorization).toHaveBeenCalledTimes(times)
    expect(onEnd).toHaveBeenCalledTimes(times)
  })

  it('does nothing for a provider of the SDK', async () => {
    await flowOf().flow.receive(new URLSearchParams({ state: 's' }))
    expect(finishAuthorization).not.toHaveBeenCalled()
  })
})

describe('signOut', () => {
  it('forgets the tokens of a provider of ours', async () => {
    const { flow, ours } = browserFlow()
    await flow.signOut()
    expect(ours.signOut).toHaveBeenCalledTimes(1)
  })

  it('forgets the tokens of a provider of the SDK, if it can', async () => {
    const invalidateCredentials = vi.fn()
    await flowOf({ provider: providerOf({ invalidateCredentials }) }).flow.signOut()
    expect(invalidateCredentials.mock.calls).toEqual([['tokens']])
    await expect(flowOf().flow.signOut()).resolves.toBeUndefined()
  })
})
