import { beforeEach, describe, expect, it } from 'vitest'
import { createSignInWorld, type SignInWorld } from './support/signInPage.js'

let world: SignInWorld

beforeEach(() => {
  world = createSignInWorld()
})

const WIDER = 'Bearer error="insufficient_scope", scope="more"'

/** A server that wants more than the token allows. */
function requireMore(): void {
  world.tokens.refusal = () => new Response('', { status: 403, headers: { 'www-authenticate': WIDER } })
  world.tokens.valid = new Set()
}

const INVALID_GRANT = () => Response.json({ error: 'invalid_grant' }, { status: 400 })

/** Holds the next token request back until it is released. */
function holdTokens(): () => void {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let isNext = true
  world.hold = (path) => {
    if (path !== '/token' || !isNext) return undefined
    isNext = false
    return held
  }
  return release
}

describe('tokens that work', () => {
  it('stay where a later sign-in comes to nothing', async () => {
    const page = world.browser.openPage()
    const client = world.open(page)
    await world.signIn(client)
    const { valid } = world.tokens
    requireMore()
    await world.within(client.listTools()).catch(() => {})
    await world.within(client.authorize())
    world.tokens.grant = INVALID_GRANT
    await expect(world.within(client.finishAuthorization(world.callback()))).rejects.toMatchObject({
      code: 'invalid_grant',
    })
    world.tokens.valid = valid
    await expect(world.within(client.listTools())).resolves.toBeDefined()
  })

  it('are not replaced by those of a refresh that had begun before them', async () => {
    const page = world.browser.openPage()
    const client = world.open(page)
    await world.signIn(client)
    world.tokens.valid = new Set()
    const answer = holdTokens()
    client.listTools().catch(() => {})
    await world.browser.settle()
    requireMore()
    await world.within(client.callToolRaw({ name: 'report' })).catch(() => {})
    await world.signIn(client)
    expect(world.kept(page, 'tokens')).toContain('access-secret-2')
    const { valid } = world.tokens
    answer()
    await world.browser.settle()
    expect(world.kept(page, 'tokens')).toContain('access-secret-2')
    world.tokens.valid = valid
    await expect(world.within(client.listTools())).resolves.toBeDefined()
  })

  it('stay where another page has refreshed them, and the refresh of this one is refused', async () => {
    const [page, other] = [world.browser.openPage(), world.browser.openPage()]
    const [client, second] = [page, other].map(({ environment: { locks: _, ...environment }, ...rest }) =>
      world.open({ ...rest, environment } as never, { storage: 'local' }),
    )
    if (!client || !second) throw new Error('no client')
    await world.signIn(client)
    await world.within(second.connect())
    world.tokens.valid = new Set()
    const { grant } = world.tokens
    const spent = new Set<string | null>()
    world.tokens.grant = (form) => {
      const token = form.get('refresh_token')
      if (spent.has(token)) return INVALID_GRANT()
      spent.add(token)
      return grant(form)
    }
    const answer = holdTokens()
    const late = client.listTools()
    await world.within(second.listTools())
    answer()
    await expect(world.within(late)).resolves.toBeDefined()
    expect(world.kept(page, 'tokens')).toContain('access-secret-')
    expect(world.visits()).toHaveLength(1)
  })
})

describe('a scope that the authorization server does not name', () => {
  const asked = () => world.visits().at(-1)?.searchParams.get('scope')

  it('is the one that was asked for: a wider sign-in asks for it again', async () => {
    const client = world.open()
    await world.within(client.connect()).catch(() => {})
    await world.signIn(client)
    expect(asked()).toBe('tasks')
    requireMore()
    await world.within(client.listTools()).catch(() => {})
    await world.within(client.authorize())
    expect(asked()).toBe('tasks more')
  })

  it('stays the same after a refresh', async () => {
    const client = world.open()
    await world.within(client.connect()).catch(() => {})
    await world.signIn(client)
    world.tokens.valid = new Set()
    await world.within(client.listTools())
    expect(world.tokens.issued).toBe(2)
    requireMore()
    await world.within(client.listTools()).catch(() => {})
    await world.within(client.authorize())
    expect(asked()).toBe('tasks more')
  })
})

describe('an app that registers itself', () => {
  it('exchanges a code as the client that it was given to, though another tab has registered since', async () => {
    const registrations: (() => void)[] = []
    world.change = async (path, response) => {
      if (path !== '/register') return response
      const client_id = `client-${registrations.length + 1}`
      await new Promise<void>((resolve) => registrations.push(resolve))
      return Response.json({ ...(await response.json()), client_id }, { status: 201 })
    }
    const [first, second] = [1, 2].map(() => world.open(undefined, { storage: 'local' }))
    const begun = [first?.authorize(), second?.authorize()]
    // Each registers before it can know of the other one.
    while (registrations.length < begun.length) await world.browser.advance(10)
    for (const [at, authorizing] of begun.entries()) {
      registrations[at]?.()
      await world.within(Promise.resolve(authorizing))
    }
    const [visit] = world.visits()
    await world.within(Promise.resolve(first?.finishAuthorization(world.callback(visit))))
    world.tokens.valid = new Set()
    await world.within(Promise.resolve(second?.listTools()))
    const forms = world.tokens.asked
      .filter(({ path }) => path === '/token')
      .map(({ body }) => new URLSearchParams(body))
    expect(forms.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token'])
    const clientId = visit?.searchParams.get('client_id')
    expect(forms.map((form) => form.get('client_id'))).toEqual([clientId, clientId])
  })

  it('proves who it is in the way that it was registered with', async () => {
    world.change = async (path, response) => {
      if (path === '/register') {
        const secret = { client_secret: 'issued', token_endpoint_auth_method: 'client_secret_post' }
        return Response.json({ ...(await response.json()), ...secret }, { status: 201 })
      }
      if (!path.startsWith('/.well-known/oauth-authorization-server')) return response
      const methods = ['client_secret_basic', 'client_secret_post']
      return Response.json({ ...(await response.json()), token_endpoint_auth_methods_supported: methods })
    }
    await world.signIn(world.open())
    const asked = world.tokens.asked.find(({ path }) => path === '/token')
    expect(asked?.headers.get('authorization')).toBeNull()
    expect(new URLSearchParams(asked?.body).get('client_secret')).toBe('issued')
  })
})
