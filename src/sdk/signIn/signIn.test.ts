import { UnauthorizedError } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { signInByToken } from './signIn.js'

const MCP = { accept: 'application/json, text/event-stream' }
const WIDER = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' }
const refusal = (headers: HeadersInit = {}, status = 401) => new Response('no', { status, headers })

/** A server that answers each request as told; `send` says what the SDK sees of it. */
function setUp(isByUser = false) {
  const signIn = signInByToken(isByUser, globalThis)
  let response = refusal()
  const fetch = signIn.wrap(async () => response)
  async function send(next: Response, headers: Record<string, string> | undefined = MCP) {
    response = next
    const init = { headers }
    return fetch('https://tasks.example/mcp', init).then(
      ({ status }) => status,
      (error: unknown) => (error instanceof UnauthorizedError ? 'kept' : error),
    )
  }
  return { signIn, send, fetch }
}

const withToken = (token: string) => ({ ...MCP, authorization: `Bearer ${token}` })

describe('signInByToken()', () => {
  it('lets the SDK see one refusal for each token', async () => {
    const { send } = setUp()
    expect(await send(refusal(), withToken('1'))).toBe(401)
    expect(await send(refusal(), withToken('1'))).toBe('kept')
    expect(await send(refusal(), withToken('2'))).toBe(401)
    expect(await send(refusal(), withToken('2'))).toBe('kept')
    expect(await send(refusal())).toBe(401)
    expect(await send(refusal())).toBe('kept')
  })

  it('closes the refusal that it keeps, with or without a body', async () => {
    const { send } = setUp()
    let closes = 0
    const body = new ReadableStream({ cancel: () => void closes++ })
    await send(refusal())
    expect(await send(new Response(body, { status: 401 }))).toBe('kept')
    expect(closes).toBe(1)
    expect(await send(new Response(null, { status: 401 }))).toBe('kept')
  })

  it('shows the same token again where the app allows it', async () => {
    const { signIn, send } = setUp()
    await send(refusal())
    signIn.allow()
    expect(await send(refusal())).toBe(401)
  })

  it('keeps the first refusal where a sign-in has failed in another tab, and that one alone', async () => {
    const { signIn, send } = setUp()
    signIn.hold()
    expect(await send(refusal(), withToken('1'))).toBe('kept')
    expect(await send(refusal(), withToken('2'))).toBe(401)
  })

  it('holds nothing where it was refused itself', async () => {
    const { signIn, send } = setUp()
    await send(refusal(), withToken('1'))
    signIn.hold()
    expect(await send(refusal(), withToken('2'))).toBe(401)
  })

  it.each([
    ['the app allows it', async ({ signIn }: ReturnType<typeof setUp>) => signIn.allow(), 401],
    ['a request passes', ({ send }: ReturnType<typeof setUp>) => send(new Response('ok')), 401],
    ['a request fails otherwise', ({ send }: ReturnType<typeof setUp>) => send(refusal({}, 503)), 'kept'],
    ['one that is not for MCP passes', ({ send }: ReturnType<typeof setUp>) => send(new Response('ok'), {}), 'kept'],
  ])('after a sign-in that failed in another tab, and %s, answers as told', async (_, meanwhile, expected) => {
    const opened = setUp()
    opened.signIn.hold()
    await meanwhile(opened)
    expect(await opened.send(refusal(), withToken('1'))).toBe(expected)
  })

  it.each([
    ['that are not for MCP', { accept: 'application/json' }, 401],
    ['without headers', undefined, 401],
    ['that end a session', { 'mcp-session-id': 's' }, 'kept'],
  ])('of requests %s', async (_, headers, expected) => {
    const { fetch, signIn, send } = setUp()
    await send(refusal())
    const outcome = await fetch('https://tasks.example/mcp', headers && { headers }).then(
      ({ status }) => status,
      () => 'kept',
    )
    expect(outcome).toBe(expected)
    expect(signIn.challenge).toEqual({ error: undefined, resourceMetadataUrl: undefined, scope: undefined })
  })

  it.each([
    ['for a wider scope', refusal(WIDER, 403), 'kept'],
    ['without saying why', refusal({}, 403), 403],
    ['for want of a right', refusal({ 'www-authenticate': 'Bearer error="invalid"' }, 403), 403],
    ['for a scope, with another status', refusal(WIDER, 400), 400],
    ['for a DPoP nonce', refusal({ 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n' }), 401],
  ])('of a second refusal %s', async (_, second, expected) => {
    const { send } = setUp()
    await send(refusal(WIDER, 403))
    expect(await send(second)).toBe(expected)
  })

  it('keeps what the server said last', async () => {
    const { signIn, send } = setUp()
    expect(signIn.challenge).toBeUndefined()
    await send(refusal(WIDER, 403))
    expect(signIn.challenge).toMatchObject({ scope: 'write' })
  })

  it('keeps nothing from an SDK whose user asks for a sign-in', async () => {
    const { signIn, send } = setUp(true)
    expect([await send(refusal(WIDER)), await send(refusal(WIDER))]).toEqual([401, 401])
    expect(signIn.challenge).toMatchObject({ scope: 'write' })
  })

  describe('of a request that is refused while the SDK signs in', () => {
    /** The SDK signs in for the first of two requests with the same token; what comes of it, `end` says. */
    async function refusedTwice(first: RequestInit = { method: 'POST', body: 'first' }) {
      const { signIn, fetch, send } = setUp()
      let token = '1'
      const answer = async (init?: RequestInit) => {
        const response = await fetch('https://tasks.example/mcp', { ...init, headers: withToken(token) })
        if (!response.ok) throw new Error(`HTTP ${response.status}`)
        return response.status
      }
      let end = (_: () => Promise<number>) => {}
      const signingIn = new Promise<number>((resolve) => {
        end = (request) => resolve(request())
      })
      const failing = signIn.send(() => answer(first).catch(() => signingIn)).catch(String)
      await Promise.resolve()
      const other = signIn.sendForApp(() => answer()).catch(String)
      const renew = (next: Response) => {
        token = '2'
        end(() => send(next, withToken('2')) as Promise<number>)
      }
      const sendAgain = () => answer(first)
      return { other, failing, end, renew, sendAgain }
    }

    it('sends it again with the new token', async () => {
      const { other, failing, renew } = await refusedTwice()
      renew(new Response('ok'))
      expect([await failing, await other]).toEqual([200, 200])
    })

    it('sends it once more, and not for ever', async () => {
      const { other, renew } = await refusedTwice()
      renew(refusal())
      expect(await other).toBe('UnauthorizedError: Unauthorized')
    })

    it('refuses it where nothing comes of the sign-in', async () => {
      const { other, failing, end } = await refusedTwice()
      end(() => Promise.reject(new Error('It went nowhere.')))
      expect([await failing, await other]).toEqual(['Error: It went nowhere.', 'UnauthorizedError: Unauthorized'])
    })

    it('refuses both where the sign-in brings the same token', async () => {
      const { other, failing, end, sendAgain } = await refusedTwice()
      end(() => sendAgain())
      expect([await failing, await other]).toEqual(Array(2).fill('UnauthorizedError: Unauthorized'))
    })

    it('refuses it at once where the first opens a stream', async () => {
      const { other } = await refusedTwice({ method: 'GET' })
      expect(await other).toBe('UnauthorizedError: Unauthorized')
    })
  })

  it('sends what it is given', async () => {
    const { signIn } = setUp()
    expect(await signIn.send(async () => 1)).toBe(1)
    expect(await signIn.sendForApp(async () => 2)).toBe(2)
  })
})
