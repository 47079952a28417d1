import { beforeEach, expect, it } from 'vitest'
import { createSignInWorld, type SignInWorld } from './support/signInPage.js'

let world: SignInWorld

beforeEach(() => {
  world = createSignInWorld()
})

const popup = () => ({ location: { href: 'about:blank' }, opener: {} as unknown, close: () => {} })

it('a callback that has signed the user in signs nobody in after signOut()', async () => {
  const client = world.open()
  await world.within(client.authorize())
  const url = world.callback()
  await expect(world.within(client.finishAuthorization(url))).resolves.toBe('authorized')
  await client.signOut()
  const again = await world.outcomeAfter(5000, client.finishAuthorization(url))
  expect(again).toMatchObject({ error: { reason: 'foreign-state' } })
})

it('the window of a sign-in says that it has failed where another client of the tab has begun one since', async () => {
  const page = world.browser.openPage()
  const [first, second] = [popup(), popup()]
  const [client, other] = [first, second].map((opened) => world.open(page, { openPopup: () => opened }))
  await world.within(Promise.resolve(client?.authorize()))
  await world.within(Promise.resolve(other?.authorize()))
  const finish = (to: string) => world.outcomeAfter(5000, world.open().finishAuthorization(world.callback(new URL(to))))
  expect(await finish(first.location.href)).toMatchObject({ error: { reason: 'foreign-state' } })
  expect(client?.store.getState().connection.status).toBe('idle')
  expect(await finish(second.location.href)).toBe('resolved')
  expect(other?.store.getState().connection.status).toBe('connected')
})
