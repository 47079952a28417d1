import { readFile } from 'node:fs/promises'
import { createClientPool } from 'taskwire/backend'
import { createPush } from 'taskwire/backend/push'
import { createTaskBridge } from 'taskwire/bridge/server'
import { createTaskServer, defineTool } from 'taskwire/server'
import { expect, onTestFinished, test } from 'vitest'
import webPush from 'web-push'
import { z } from 'zod'
import { type Browser, subscribe } from '../backend/pushService.js'
import { type Receiver, startReceiver, watchedStorage } from '../backend/receiver.js'
import { startHttpServer } from '../support/httpServer.js'
import { launchChromium } from './chromium.js'
import { buildScripts } from './reportApp.js'

const PAGE = '<!doctype html><title>Reports</title><body><script type="module" src="/push.js"></script>'

/** A backend with the push routes of the documentation, and one user. */
async function startApp(service: Receiver) {
  const [scripts, worker] = await Promise.all([
    buildScripts({ push: 'test/browser/pushPage.ts' }),
    readFile('docs/examples/push-sw.js', 'utf8'),
  ])
  let finish = () => {}
  const isDone = new Promise<void>((resolve) => {
    finish = resolve
  })
  const report = defineTool({
    name: 'report',
    taskSupport: 'required',
    inputSchema: z.object({}),
    handler: async () => {
      await isDone
      return { content: [{ type: 'text', text: 'the figures' }] }
    },
  })
  const mcp = createTaskServer({
    serverInfo: { name: 'reports', version: '1.0.0' },
    pollIntervalMs: 100,
    tools: [report],
  })
  const storage = watchedStorage()
  const push = createPush({
    storage,
    vapid: { ...webPush.generateVAPIDKeys(), subject: 'mailto:ops@example.com' },
    isPushService: ({ origin }) => service.url.startsWith(origin),
  })
  const pool = createClientPool({
    create: () => ({
      url: 'http://mcp.internal/mcp',
      storage,
      transportOptions: { fetch: (url, init) => mcp.fetch(new Request(url, init)) },
    }),
    onCreate: push.watch,
  })
  const bridge = createTaskBridge({ clientOf: () => pool.get('ada'), allow: { tools: ['report'] } })
  const files: Record<string, string | undefined> = { ...Object.fromEntries(scripts), '/push-sw.js': worker }

  async function routePush(request: Request): Promise<Response> {
    if (request.method === 'GET') return new Response(push.publicKey)
    const body: { endpoint: string } = JSON.parse(await request.text())
    if (request.method === 'DELETE') await push.unsubscribe('ada', body.endpoint)
    else if (!(await push.subscribe('ada', body))) return new Response(null, { status: 400 })
    return new Response(null, { status: 204 })
  }

  const http = await startHttpServer({
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/api/calls') return bridge.fetch(request)
      if (pathname === '/api/push') return routePush(request)
      const [body, type] = files[pathname] === undefined ? [PAGE, 'html'] : [files[pathname], 'javascript']
      return new Response(body, { headers: { 'content-type': `text/${type}; charset=utf-8` } })
    },
  })
  onTestFinished(async () => {
    await pool.close()
    await push.close()
    await mcp.close()
    await http.close()
  })
  return { url: new URL('/', http.url).href, finish, storage }
}

/** Where a real browser asks its push service for a subscription, which no test may do, it gets this one. */
const stub = `(() => {
  let current = null
  PushManager.prototype.getSubscription = async () => current
  PushManager.prototype.subscribe = async function ({ userVisibleOnly, applicationServerKey }) {
    if (!userVisibleOnly || applicationServerKey.length < 80) throw new Error('no subscription')
    const json = SUBSCRIPTION
    current = { ...json, toJSON: () => json, unsubscribe: async () => ((current = null), true) }
    return current
  }
})()`

async function openTab(app: { readonly url: string }, receiver: Browser) {
  const browser = await launchChromium({ source: 'any' })
  const context = await browser.newContext()
  onTestFinished(() => browser.close())
  await context.grantPermissions(['notifications'], { origin: new URL(app.url).origin })
  await context.addInitScript(stub.replace('SUBSCRIPTION', JSON.stringify(receiver.subscription)))
  const tab = await context.newPage()
  await tab.goto(app.url)
  return { context, tab }
}

test('a push message about a call that ended while the tab was closed is shown by the service worker', async () => {
  const service = await startReceiver()
  onTestFinished(() => service.crash())
  const receiver = await subscribe(`${service.url}/ada`)
  const app = await startApp(service)
  const { context, tab } = await openTab(app, receiver)
  const cdp = await context.newCDPSession(tab)
  const registered = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations
      if (registration !== undefined) resolve(registration.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  await tab.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await tab.getByText('Subscribe: true').waitFor()
  const registrationId = await registered
  await tab.getByRole('button', { name: 'Start' }).click()
  await tab.getByText('Start: working').waitFor()
  // The next tab delivers what the push service would; nothing of the app is open in it.
  const blank = await context.newPage()
  await tab.close()
  app.finish()
  await service.received(1)
  const [{ body } = expect.fail()] = service.requests
  const message = await receiver.decrypt(body)
  const delivering = await context.newCDPSession(blank)
  await delivering.send('ServiceWorker.enable')
  const { origin } = new URL(app.url)
  const delivery = { origin, registrationId, data: JSON.stringify(message) }
  await delivering.send('ServiceWorker.deliverPushMessage', delivery)
  await delivering.send('ServiceWorker.deliverPushMessage', delivery)
  await blank.goto(app.url)
  const shown = () =>
    blank.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return (await registration.getNotifications()).map(({ title, body: text }) => ({ title, text }))
    })
  await expect.poll(shown).toEqual([{ title: 'Weekly report is done', text: '' }])
})

test('a user who unsubscribes gets no more messages, and nothing of the subscription is kept', async () => {
  const service = await startReceiver()
  onTestFinished(() => service.crash())
  const app = await startApp(service)
  const { tab } = await openTab(app, await subscribe(`${service.url}/ada`))
  const kept = () => [...app.storage.items.keys()].filter((key) => key.startsWith('taskwire:push:')).length
  await tab.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await tab.getByText('Subscribe: true').waitFor()
  expect(kept()).toBe(2)
  await tab.getByRole('button', { name: 'Unsubscribe' }).click()
  await tab.getByText('Unsubscribe: done').waitFor()
  expect(kept()).toBe(0)
})
