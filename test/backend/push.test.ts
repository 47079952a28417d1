import { TaskConfigurationError, TaskStorageError } from 'taskwire'
import { type ClientPool, createClientPool } from 'taskwire/backend'
import { createPush, type PushOptions } from 'taskwire/backend/push'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import webPush from 'web-push'
import { createWorkServer } from '../support/workServer.js'
import { subscribe, verifyVapid } from './pushService.js'
import { failedAttempt, type Receiver, startReceiver, waiting, watchedStorage } from './receiver.js'

const WORK = { name: 'work', arguments: { seconds: 3, outcome: 'success' } }
const vapid = { ...webPush.generateVAPIDKeys(), subject: 'mailto:ops@example.com' }

let service: Receiver
beforeEach(async () => {
  service = await startReceiver()
})
afterEach(() => service.crash())

function setUp() {
  const server = createWorkServer({ browser: { turns: 60 } })
  const storage = watchedStorage()
  const errors: Error[] = []

  /** A process of the backend, which is alone. */
  function start(options: Partial<PushOptions> = {}) {
    const machine = server.browser.openPage()
    const environment = { ...machine.environment, locks: undefined, channel: undefined }
    const push = createPush({
      storage,
      vapid,
      isPushService: ({ origin }) => service.url.startsWith(origin),
      onError: (error) => errors.push(error),
      ...options,
      environment: { ...environment, random: () => 0, fetch: globalThis.fetch },
    })
    const pool = createClientPool({
      create: () => ({ url: server.url, storage, environment }),
      onCreate: push.watch,
      environment,
    })
    let isKilled = false
    onTestFinished(async () => {
      if (!isKilled) await Promise.all([push.close(), server.advance(1000)])
    })
    const kill = async () => {
      isKilled = true
      await machine.crash()
    }
    return { push, pool, kill }
  }

  /** Lets a call of Ada run to its end. No message is answered before. */
  async function work(pool: ClientPool, key = 'weekly') {
    const release = service.hold()
    const { result } = pool.get('ada').startToolCall(WORK, { key })
    await Promise.all([result, server.advance(5000)])
    release()
  }

  return {
    server,
    storage,
    errors,
    start,
    work,
    delivered: () => storage.until((items) => waiting(items).length === 0),
  }
}

const subscriptionsIn = (items: ReadonlyMap<string, string>) =>
  [...items.keys()].filter((key) => key.startsWith('taskwire:push:'))

it('sends the end of a call to the browser of its user, encrypted for it and signed by the app', async () => {
  const { start, work, delivered } = setUp()
  const { push, pool } = start()
  const [ada, eve] = await Promise.all(['ada', 'eve'].map((name) => subscribe(`${service.url}/${name}`)))
  expect(await push.subscribe('ada', ada?.subscription)).toBe(true)
  expect(await push.subscribe('eve', eve?.subscription)).toBe(true)
  await work(pool)
  await service.received(1)
  await delivered()
  expect(service.requests).toHaveLength(1)
  const [request = expect.fail()] = service.requests
  expect(request.url).toBe('/hooks/ada')
  expect(await ada?.decrypt(request.body)).toEqual({ title: 'work is done', tag: expect.stringMatching(/^msg_\w+$/) })
  await expect(eve?.decrypt(request.body)).rejects.toThrow()
  expect(request.headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    urgency: 'normal',
    ttl: expect.stringMatching(/^863\d\d$|^86400$/),
    topic: expect.stringMatching(/^[\w-]{1,32}$/),
  })
  const { key, claims } = await verifyVapid(request)
  expect(key).toBe(vapid.publicKey)
  expect(push.publicKey).toBe(vapid.publicKey)
  expect(claims).toMatchObject({ aud: new URL(service.url).origin, sub: vapid.subject })
  const { exp } = claims as { exp: number }
  expect(exp - Date.now() / 1000).toBeLessThanOrEqual(86_400)
})

it('sends again to those browsers alone that did not get it, and removes those that are gone', async () => {
  const { server, start, work, storage, delivered, errors } = setUp()
  const { push, pool } = start()
  const names = ['a', 'b', 'c', 'd']
  const browsers = await Promise.all(names.map((name) => subscribe(`${service.url}/${name}`)))
  for (const { subscription } of browsers) await push.subscribe('ada', subscription)
  service.answer(410, 404, 500, 201)
  await work(pool)
  const { nextAt } = await failedAttempt(storage, 1)
  expect(subscriptionsIn(storage.items)).toHaveLength(4)
  await server.advance(nextAt - server.browser.now())
  await service.received(5)
  await delivered()
  const paths = service.requests.map(({ url }) => url)
  expect(paths[4]).toBe(paths[2])
  expect(errors).toEqual([])
  await work(pool, 'monthly')
  await service.received(7)
  await delivered()
  const later = service.requests.slice(5).map(({ url }) => url)
  expect(later.sort()).toEqual([paths[2], paths[3]].sort())
})

it('sends what a killed process has left, and shows it once where it comes twice', async () => {
  const { server, start, work, delivered } = setUp()
  const first = start()
  const browser = await subscribe(`${service.url}/ada`)
  await first.push.subscribe('ada', browser.subscription)
  service.answer('hang')
  await work(first.pool)
  await service.received(1)
  await first.kill()
  start()
  await server.advance(1000)
  await service.received(2)
  await delivered()
  const [before, after] = await Promise.all(service.requests.map(({ body }) => browser.decrypt(body)))
  expect(after).toEqual(before)
  const [topic, again] = service.requests.map(({ headers }) => headers['topic'])
  expect(again).toBe(topic)
})

it('removes a browser whose key is none, and sends to the others once', async () => {
  const { server, start, work, storage, delivered, errors } = setUp()
  const { push, pool } = start()
  const browser = await subscribe(`${service.url}/ada`)
  const keys = { ...browser.subscription.keys, p256dh: Buffer.alloc(65).toString('base64url') }
  expect(await push.subscribe('ada', { endpoint: `${service.url}/bad`, keys })).toBe(true)
  await push.subscribe('ada', browser.subscription)
  await work(pool)
  await service.received(1)
  await delivered()
  expect(subscriptionsIn(storage.items)).toHaveLength(2)
  expect(errors).toHaveLength(1)
  await server.advance(600_000)
  expect(service.requests.map(({ url }) => url)).toEqual(['/hooks/ada'])
})

it('does not send again because a browser that is gone cannot be removed', async () => {
  const { server, storage, start, work, delivered, errors } = setUp()
  const removeItem = (key: string) => {
    if (key.startsWith('taskwire:push:')) throw new Error('the disk is read-only')
    return storage.removeItem(key)
  }
  const { push, pool } = start({ storage: { ...storage, removeItem } })
  for (const name of ['a', 'b']) await push.subscribe('ada', (await subscribe(`${service.url}/${name}`)).subscription)
  service.answer(410)
  await work(pool)
  await service.received(2)
  await delivered()
  expect(errors).toEqual([expect.any(TaskStorageError)])
  await server.advance(600_000)
  expect(service.requests).toHaveLength(2)
})

it('reports a storage that does not say which browsers there are, and sends to them later', async () => {
  const { server, start, work, storage, errors, delivered } = setUp()
  const never = new Promise<never>(() => {})
  let isSilent = false
  const keys = (prefix?: string) =>
    isSilent && prefix?.startsWith('taskwire:push:') ? never : (storage.keys(prefix) ?? [])
  const { push, pool } = start({ storage: { ...storage, keys } })
  const { subscription } = await subscribe(`${service.url}/ada`)
  await push.subscribe('ada', subscription)
  isSilent = true
  await work(pool)
  await server.advance(5000)
  await failedAttempt(storage, 1)
  expect(errors).toEqual([expect.any(TaskStorageError)])
  isSilent = false
  await server.advance(5000)
  await service.received(1)
  await delivered()
})

it('a browser belongs to the user who subscribed with it last', async () => {
  const { start, work, storage, delivered } = setUp()
  const { push, pool } = start()
  const { subscription } = await subscribe(`${service.url}/shared`)
  await push.subscribe('ada', subscription)
  await push.subscribe('eve', subscription)
  expect(subscriptionsIn(storage.items)).toHaveLength(2)
  await work(pool)
  await delivered()
  expect(service.requests).toEqual([])
  // Signing out late does not take it from the next user.
  await push.unsubscribe('ada', subscription.endpoint)
  expect(subscriptionsIn(storage.items)).toHaveLength(2)
  await push.unsubscribe('eve', subscription.endpoint)
  expect(subscriptionsIn(storage.items)).toEqual([])
})

it('forgetUser() removes subscriptions and what waits, and unsubscribe() one browser', async () => {
  const { server, start, work, storage } = setUp()
  const { push, pool } = start()
  const [a, b] = await Promise.all(['a', 'b'].map((name) => subscribe(`${service.url}/${name}`)))
  await push.subscribe('ada', a?.subscription)
  await push.subscribe('ada', b?.subscription)
  await push.unsubscribe('ada', b?.subscription.endpoint ?? '')
  service.answer(500)
  await work(pool)
  await failedAttempt(storage, 1)
  expect(service.requests.map(({ url }) => url)).toEqual(['/hooks/a'])
  await push.forgetUser('ada')
  expect(subscriptionsIn(storage.items)).toEqual([])
  expect(waiting(storage.items)).toEqual([])
  await server.advance(60_000)
  expect(service.requests).toHaveLength(1)
})

it('forgetUser() also removes a browser that could not be removed when another user subscribed with it', async () => {
  const { start, storage } = setUp()
  let isDown = false
  const removeItem = (key: string) => {
    if (isDown) throw new Error('the connection was lost')
    return storage.removeItem(key)
  }
  const { push } = start({ storage: { ...storage, removeItem } })
  const { subscription } = await subscribe(`${service.url}/shared`)
  await push.subscribe('ada', subscription)
  isDown = true
  await expect(push.subscribe('eve', subscription)).rejects.toThrow('the connection was lost')
  isDown = false
  await push.subscribe('eve', subscription)
  await push.forgetUser('ada')
  expect(subscriptionsIn(storage.items)).toHaveLength(2)
  await push.forgetUser('eve')
  expect(subscriptionsIn(storage.items)).toEqual([])
})

it('keeps twenty browsers of a user, those that subscribed last', async () => {
  const { server, start, storage } = setUp()
  const { push } = start()
  const { keys } = (await subscribe(service.url)).subscription
  for (let number = 0; number < 22; number += 1) {
    await push.subscribe('ada', { endpoint: `${service.url}/${number}`, keys })
    await server.advance(1)
  }
  const kept = [...storage.items.values()].filter((text) => text.includes('endpoint')).join()
  expect(subscriptionsIn(storage.items)).toHaveLength(40)
  expect(kept).not.toMatch(/hooks\/[01]"/)
  expect(kept).toMatch(/hooks\/2"/)
})

it('gives a message up that has come to the end of its time, and reports it', async () => {
  const { server, start, work, storage, delivered, errors } = setUp()
  const { push, pool } = start({ ttlMs: 60_000, urgency: 'high' })
  await push.subscribe('ada', (await subscribe(`${service.url}/ada`)).subscription)
  service.answer(500, 500)
  await work(pool)
  const { nextAt } = await failedAttempt(storage, 1)
  await server.advance(nextAt - server.browser.now())
  await service.received(2)
  await delivered()
  expect(service.requests[0]?.headers).toMatchObject({ urgency: 'high', ttl: expect.stringMatching(/^(5\d|60)$/) })
  expect(errors).toMatchObject([{ name: 'DeliveryFailedError', attempts: 2 }])
})

it('sends what `message` returns, and reports what is too large', async () => {
  const { start, work, delivered, errors } = setUp()
  const { push, pool } = start({
    message: ({ key }) => {
      if (key === 'silent') return undefined
      return { title: 'Ready', tag: 'report', url: '/reports', body: key === 'large' ? 'x'.repeat(3000) : 'Open it' }
    },
  })
  const browser = await subscribe(`${service.url}/ada`)
  await push.subscribe('ada', browser.subscription)
  for (const key of ['silent', 'large', 'weekly']) await work(pool, key)
  await service.received(1)
  await delivered()
  expect(service.requests).toHaveLength(1)
  expect(await browser.decrypt(service.requests[0]?.body ?? Buffer.from(''))).toEqual({
    title: 'Ready',
    tag: 'report',
    url: '/reports',
    body: 'Open it',
  })
  expect(errors).toEqual([expect.any(TaskConfigurationError)])
  expect(errors[0]?.message).toMatch(/3,?0\d\d bytes/)
})

it('keeps no subscription without the id of a user', async () => {
  const { start, storage } = setUp()
  const { push } = start()
  const { subscription } = await subscribe(`${service.url}/ada`)
  for (const userId of [undefined, ''])
    await expect(push.subscribe(userId as string, subscription)).rejects.toThrow(TaskConfigurationError)
  expect(subscriptionsIn(storage.items)).toEqual([])
})

it('keeps nothing that is no subscription, or leads to a host that is no push service', async () => {
  const { start, storage } = setUp()
  const { keys } = (await subscribe(service.url)).subscription
  const { push } = start()
  const known = createPush({ storage, vapid })
  const refused: unknown[] = [
    undefined,
    null,
    'https://fcm.googleapis.com/x',
    { endpoint: `${service.url}/x` },
    { endpoint: 'no url', keys },
    { endpoint: `${service.url}/${'x'.repeat(2048)}`, keys },
    { endpoint: `${service.url}/x`, keys: { ...keys, auth: 'short' } },
    { endpoint: `${service.url}/x`, keys: { ...keys, p256dh: keys.auth } },
  ]
  for (const each of refused) expect(await push.subscribe('ada', each)).toBe(false)
  const hosts: [endpoint: string, isKnown: boolean][] = [
    ['https://fcm.googleapis.com/fcm/send/x', true],
    ['https://updates.push.services.mozilla.com/wpush/v2/x', true],
    ['https://wns2-par02p.notify.windows.com/w/?token=x', true],
    ['https://web.push.apple.com/x', true],
    ['http://fcm.googleapis.com/x', false],
    ['https://fcm.googleapis.com:8443/x', false],
    ['https://evilfcm.googleapis.com.example.com/x', false],
    ['https://169.254.169.254/latest', false],
    ['https://localhost/x', false],
    ['https://eve:pass@fcm.googleapis.com/x', false],
  ]
  for (const [endpoint, isKnown] of hosts)
    expect([endpoint, await known.subscribe('eve', { endpoint, keys })]).toEqual([endpoint, isKnown])
  await known.forgetUser('eve')
  expect(storage.items.size).toBe(0)
  await known.close()
})

it('says which option cannot be used', () => {
  const storage = watchedStorage()
  const refused: [options: object, words: RegExp][] = [
    [{ vapid }, /needs a storage/],
    [{ storage }, /The option vapid cannot be used: .* `npx web-push generate-vapid-keys/],
    [{ storage, vapid: { ...vapid, subject: 'ops@example.com' } }, /The option vapid cannot be used/],
    [{ storage, vapid: { ...vapid, privateKey: 'short' } }, /The option vapid cannot be used/],
    [{ storage, vapid, message: 'done' }, /message is 'done'; it must be a function/],
    [{ storage, vapid, ttlMs: 8 * 86_400_000 }, /ttlMs is 691200000/],
    [{ storage, vapid, tll: 1 }, /There is no option tll. Did you mean ttlMs/],
  ]
  for (const [options, words] of refused) {
    expect(() => createPush(options as PushOptions)).toThrow(TaskConfigurationError)
    expect(() => createPush(options as PushOptions)).toThrow(words)
  }
})
