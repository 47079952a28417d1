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
