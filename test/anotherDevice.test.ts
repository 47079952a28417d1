import { TaskStorageError } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRecordHandler } from '../docs/examples/deviceServer.js'
import { deviceStorage } from '../docs/examples/deviceStorage.js'
import { memoryTable, type RecordTable } from '../docs/examples/deviceTable.js'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

const URL_OF_RECORDS = 'https://app.example/api/task-records'

let server: TestServer
let table: RecordTable
let browsers: SimulatedBrowser[]
let sessions: Map<string, string>
let isFirstTaken: boolean
let handle: (request: Request) => Promise<Response>

beforeEach(() => {
  server = createWorkServer()
  table = memoryTable()
  browsers = [server.browser]
  isFirstTaken = false
  sessions = new Map([
    ['session-ada', 'ada'],
    ['session-bob', 'bob'],
  ])
  handle = createRecordHandler({
    path: '/api/task-records',
    table,
    userOf: async (request) => sessions.get(/session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''),
    now: () => server.browser.now(),
  })
})

/** Lets time pass for all devices. */
async function advance(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) for (const browser of browsers) await browser.advance(50)
}

function ask(session: string, name: string, init: RequestInit = {}): Promise<Response> {
  const headers = { cookie: `session=${session}`, 'X-Browser-Id': 'test', ...init.headers }
  return handle(new Request(`${URL_OF_RECORDS}/${encodeURIComponent(name)}`, { ...init, headers }))
}

interface DeviceOptions {
  session?: string
  scope?: string
  /** Between this device and the backend. */
  network?: (send: () => Promise<Response>, request: Request) => Promise<Response>
}

function openDevice({ session = 'session-ada', scope = 'ada', network = (send) => send() }: DeviceOptions = {}) {
  const browser = isFirstTaken ? createSimulatedBrowser({ fetch: server.fetch }) : server.browser
  if (isFirstTaken) browsers.push(browser)
  isFirstTaken = true
  const page = browser.openPage()
  const errors: Error[] = []
  const storage = deviceStorage({
    url: URL_OF_RECORDS,
    browserId: `browser ${browsers.indexOf(browser)}`,
    fetch: (url, init) => {
      const request = new Request(url, init)
      request.headers.set('cookie', `session=${session}`)
      return network(() => handle(request), request)
    },
    sleep: (ms) => new Promise((resolve) => page.environment.setTimeout(resolve, ms)),
  })
  const client = createTaskClient({
    url: server.url,
    scope,
    storage,
    environment: page.environment,
    onError: (error) => errors.push(error),
  })
  return { client, page, errors, storage }
}

const WORK = { name: 'work', arguments: { seconds: 10 } }
const only = <T>(values: readonly T[]): T => {
  expect(values).toHaveLength(1)
  return values[0] as T
}

describe('a call whose record is at the backend of the app', () => {
  it('is listed on another device of the user and followed to its result there, and the tool runs once', async () => {
    const [first, second] = [openDevice(), openDevice()]
    const call = first.client.startToolCall(WORK, { key: 'weekly' })
    await advance(3000)

    const resuming = second.client.resumeToolCalls()
    await advance(1000)
    const followed = only(await resuming)
    expect(followed.getState()).toMatchObject({ name: 'work', phase: 'working', task: { statusMessage: 'step 4' } })

    await advance(10_000)
    await expect(followed.result).resolves.toEqual(await call.result)
    expect(server.count('tools/call')).toBe(1)
    expect([...first.errors, ...second.errors]).toEqual([])
  })

  it('is found by its key on another device, during and after its task', async () => {
    const [first, second, third] = [openDevice(), openDevice(), openDevice()]
    first.client.startToolCall(WORK, { key: 'weekly' })
    await advance(3000)
    const during = second.client.startToolCall(WORK, { key: 'weekly' })
    await advance(15_000)
    const after = third.client.startToolCall(WORK, { key: 'weekly' })
    await advance(3000)
    await expect(during.result).resolves.toMatchObject({ isError: false })
    await expect(after.result).resolves.toMatchObject({ isError: false })
    expect(server.count('tools/call')).toBe(1)
  })

  it('is made once by two devices that start it at the same moment', async () => {
    const devices = [openDevice(), openDevice()]
    const calls = devices.map(({ client }) => client.startToolCall(WORK, { key: 'weekly' }))
    await advance(20_000)
    const [one, other] = await Promise.all(calls.map(({ result }) => result))
    expect(one).toEqual(other)
    expect(server.count('tools/call')).toBe(1)
  })

  it('can be started on another device when the first one has read its record and gone', async () => {
    const [first, second] = [openDevice(), openDevice()]
    await first.storage.getItem('taskwire:abandoned')
    const reading = second.storage.getItem('taskwire:abandoned')
    await advance(7000)
    await expect(reading).resolves.toBeNull()
  })

  it('is cancelled from another device', async () => {
    const [first, second] = [openDevice(), openDevice()]
    const call = first.client.startToolCall(WORK, { key: 'weekly' })
    call.result.catch(() => {})
    await advance(3000)
    const resuming = second.client.resumeToolCalls()
    await advance(1000)
    const followed = only(await resuming)
    followed.result.catch(() => {})
    void followed.cancel()
    await advance(3000)
    expect(call.getState().phase).toBe('cancelled')
  })

  it('is forgotten by all devices with forget(), and by one with the end of its session', async () => {
    const [first, second] = [openDevice(), openDevice()]
    first.client.startToolCall(WORK, { key: 'weekly' }).result.catch(() => {})
    await advance(3000)
    expect(await table.names('ada')).toHaveLength(1)

    sessions.delete('session-ada')
    const withoutSession = second.client.resumeToolCalls()
    await advance(1000)
    await expect(withoutSession).resolves.toEqual([])

    sessions.set('session-ada', 'ada')
    const forgetting = first.client.forget()
    await advance(1000)
    await forgetting
    expect(await table.names('ada')).toEqual([])
    const afterForget = second.client.resumeToolCalls()
    await advance(1000)
    await expect(afterForget).resolves.toEqual([])
  })

  it('goes on without a backend, and the failure is reported', async () => {
    const { client, errors } = openDevice({ network: async () => Promise.reject(new TypeError('Failed to fetch')) })
    const call = client.startToolCall(WORK, { key: 'weekly' })
    await advance(15_000)
    await expect(call.result).resolves.toMatchObject({ isError: false })
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.every((error) => error instanceof TaskStorageError)).toBe(true)
  })

  it.for([
    ['no JSON', 'gateway timeout'],
    ['JSON of something else', '[{"v":1}]'],
    ['a record that is cut short', '{"v":1,"callId":"'],
  ])('is made anew where its record is %s', async ([, text]) => {
    const { client } = openDevice({
      network: async (send, request) => {
        const response = await send()
        return request.method === 'GET' && response.ok ? new Response(text, { headers: response.headers }) : response
      },
    })
    client.startToolCall(WORK, { key: 'weekly' })
    await advance(15_000)
    const listing = client.resumeToolCalls()
    await advance(1000)
    await expect(listing).resolves.toEqual([])
    expect(server.count('tools/call')).toBe(1)
  })

  it('is not shown to a user whose backend hands out the records of another user', async () => {
    const first = openDevice()
    first.client.startToolCall(WORK, { key: 'weekly' })
    await advance(3000)
    const other = openDevice({ session: 'session-ada', scope: 'bob' })
    const listing = other.client.resumeToolCalls()
    await advance(1000)
    await expect(listing).resolves.toEqual([])
  })
})

describe('the backend', () => {
  const PUT = (body: string, headers: Record<string, string> = { 'If-None-Match': '*' }) => ({
    method: 'PUT',
    body,
    headers,
  })

  it('has records of the user who is signed in, and of nobody else', async () => {
    await ask('session-ada', 'taskwire:1', PUT('of Ada'))
    expect(await (await ask('session-ada', 'taskwire:1')).text()).toBe('of Ada')
    expect((await ask('session-bob', 'taskwire:1')).status).toBe(404)
    expect(await (await ask('session-bob', '')).json()).toEqual([])
    expect((await ask('session-bob', 'taskwire:1', { method: 'DELETE' })).status).toBe(204)
    expect((await ask('session-ada', 'taskwire:1')).status).toBe(200)
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await ask('none', 'taskwire:1', { method })).status).toBe(401)
    }
  })

  it('replaces no version that the device has not read', async () => {
    const first = await ask('session-ada', 'taskwire:1', PUT('one'))
    const version = first.headers.get('ETag') ?? ''
    expect((await ask('session-ada', 'taskwire:1', PUT('two', { 'If-Match': version }))).status).toBe(204)
    expect((await ask('session-ada', 'taskwire:1', PUT('three', { 'If-Match': version }))).status).toBe(412)
    expect((await ask('session-ada', 'taskwire:1', PUT('four'))).status).toBe(412)
    expect((await ask('session-ada', 'taskwire:1', PUT('five', {}))).status).toBe(428)
    expect(await (await ask('session-ada', 'taskwire:1')).text()).toBe('two')
  })

  it('refuses what is too long, too much or no record, and requests that a form of another origin could send', async () => {
    expect((await ask('session-ada', 'taskwire:1', PUT('x'.repeat(60_001)))).status).toBe(413)
    expect((await ask('session-ada', `taskwire:${'x'.repeat(600)}`, PUT('x'))).status).toBe(400)
    expect((await ask('session-ada', 'session', PUT('x'))).status).toBe(400)
    expect((await ask('session-ada', 'taskwire:1', { method: 'POST' })).status).toBe(405)
    expect((await ask('session-ada', 'taskwire:1', { headers: { 'X-Browser-Id': '' } })).status).toBe(400)
    for (let index = 0; index < 1000; index++) await table.write('ada', `taskwire:many:${index}`, 'x', 0)
    expect((await ask('session-ada', 'taskwire:1', PUT('x'))).status).toBe(507)
  })
})
