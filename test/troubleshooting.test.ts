import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  ConnectionFailedError,
  type TaskClientUrlOptions,
  TaskExpiredError,
  TaskStorageError,
  withTasks,
} from 'taskwire'
import { expect, it } from 'vitest'
import { createTaskClient, describeFull } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

// What docs/troubleshooting.md says that a developer sees, how to tell, and that the line it names changes it.

const WORK = { name: 'work', arguments: { seconds: 10 } }
const KEY = { key: 'weekly' }

function openPage({ server = createWorkServer(), page = server.browser.openPage(), ...options }: PageOptions = {}) {
  const errors: Error[] = []
  const onError = (error: Error) => errors.push(error)
  const client = createTaskClient({ url: server.url, environment: page.environment, onError, ...options })
  return { server, page, client, errors }
}

type TestServer = ReturnType<typeof createWorkServer>
interface PageOptions extends Partial<TaskClientUrlOptions> {
  server?: TestServer
  page?: TestServer['page']
}

/** How often the tool is called by a page and by the one that comes after a reload. */
async function callsOfTwoVisits(options: { key?: string }, first: PageOptions, second: PageOptions): Promise<number> {
  const { server, page, client } = openPage(first)
  client.startToolCall(WORK, options)
  await server.advance(2000)
  const next = openPage({ ...second, server, page: await page.reload() })
  next.client.startToolCall(WORK, options)
  await server.advance(2000)
  return server.count('tools/call')
}

it('"Failed to fetch" comes with the command that says why', async () => {
  const { server, client } = openPage()
  server.faults.drop()
  const call = client.startToolCall(WORK)
  await server.advance(60_000)
  expect(call.getState().phase).toBe('calling')
  const { status, error } = client.store.getState().connection
  expect(status).toBe('connecting')
  expect(error).toBeInstanceOf(ConnectionFailedError)
  expect(String(error)).toMatch(/Failed to fetch.*npx taskwire doctor/)
})

it('a tool runs twice without a key, and once with one', async () => {
  expect(await callsOfTwoVisits({}, {}, {})).toBe(2)
  expect(await callsOfTwoVisits(KEY, {}, {})).toBe(1)
})

it('a tool runs twice where the URL has another query, and once with an endpoint', async () => {
  const url = 'http://localhost/mcp?token=2'
  expect(await callsOfTwoVisits(KEY, {}, { url })).toBe(2)
  expect(await callsOfTwoVisits(KEY, { endpoint: 'work' }, { url, endpoint: 'work' })).toBe(1)
})

it('a tool runs twice where the scope is set late', async () => {
  expect(await callsOfTwoVisits(KEY, {}, { scope: 'ada' })).toBe(2)
})

it('a tool runs twice with storage in memory', async () => {
  expect(await callsOfTwoVisits(KEY, { storage: 'memory' }, { storage: 'memory' })).toBe(2)
})

it('nothing is polled while a page is hidden that pauses, and the call says so', async () => {
  const { server, page, client } = openPage({ poll: { hidden: 'pause' } })
  const call = client.startToolCall(WORK)
  await server.advance(2000)
  await page.setVisible(false)
  await server.advance(4000)
  expect(server.times('tasks/get')).toEqual([1000, 2000])
  expect(call.getState().network).toBe('paused')
  await page.setVisible(true)
  await server.advance(100)
  expect(server.count('tasks/get')).toBe(3)
})

it('nothing is polled that nobody waits for where tasks are resumed lazily', async () => {
  const { server, client } = openPage({ resume: 'lazy' })
  client.startToolCall(WORK, KEY).detach()
  await server.advance(5000)
  expect(server.count('tasks/get')).toBe(0)
})

it('a tab that does not poll follows the one that does', async () => {
  const { server, client } = openPage()
  client.startToolCall(WORK, KEY)
  await server.advance(1500)
  const follower = openPage({ server }).client.startToolCall(WORK, KEY)
  await server.advance(3000)
  expect(follower.getState()).toMatchObject({ network: 'ok', task: { statusMessage: 'step 4' } })
  expect(server.times('tasks/get')).toEqual([1000, 2000, 3000, 4000])
})

it('polls are rare while the server pushes', async () => {
  const { server, client } = openPage({ server: createWorkServer({ push: true }) })
  client.startToolCall({ name: 'work', arguments: { seconds: 25 } })
  await server.advance(20_000)
  expect(server.count('tasks/get')).toBeLessThan(3)
})

it('a task waits for credentials after a 401, and the connection says so', async () => {
  const { server, client } = openPage()
  const call = client.startToolCall(WORK)
  await server.advance(2000)
  const stop = server.faults.status(401)
  await server.advance(2000)
  expect(call.getState()).toMatchObject({
    phase: 'working',
    network: 'paused',
    lastError: { kind: 'auth', status: 401 },
  })
  expect(client.store.getState().connection.status).toBe('unauthorized')
  stop()
  await server.advance(20_000)
  await expect(call.result).resolves.toMatchObject({ isError: false })
  expect(server.count('tools/call')).toBe(1)
})

it('a task is unknown where another process of the server is asked for it', async () => {
  const other = createWorkServer()
  const server = createWorkServer()
  const { environment } = server.page
  const fetch: typeof environment.fetch = (url, init) =>
    String(init?.body).includes('tasks/get') ? other.fetch(url, init) : environment.fetch(url, init)
  const { client } = openPage({ server, environment: { ...environment, fetch } })
  const call = client.startToolCall(WORK)
  await server.advance(2000)
  await expect(call.result).rejects.toThrow(TaskExpiredError)
  await expect(call.result).rejects.toMatchObject({ reason: 'unknown-task' })
})

it('a browser that forbids storage stops no call, and onError says so', async () => {
  const server = createWorkServer()
  const storage = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  }
  const { client, errors } = openPage({ server, environment: { ...server.environment, storage } })
  const call = client.startToolCall(WORK, KEY)
  await server.advance(15_000)
  await expect(call.result).resolves.toMatchObject({ isError: false })
  expect(errors[0]).toBeInstanceOf(TaskStorageError)
  expect(errors[0]?.cause).toMatchObject({ name: 'SecurityError' })
})

it('a call of a tool that is no task has no progress', async () => {
  const { server, client } = openPage()
  const call = client.startToolCall({ name: 'echo', arguments: { text: 'hi' } })
  await server.advance(100)
  expect(call.getState()).toMatchObject({ phase: 'completed' })
  expect(call.getState().task).toBeUndefined()
})

describeFull('a client of the official SDK', () => {
  const transportTo = (server: TestServer) =>
    new StreamableHTTPClientTransport(new URL(server.url), { fetch: server.environment.fetch })
  const info = { name: 'app', version: '1.0.0' }

  it('refuses a task without withTasks()', async () => {
    const server = createWorkServer()
    const client = new Client(info, {
      versionNegotiation: { mode: 'auto' },
      capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    })
    const calling = client.connect(transportTo(server)).then(() => client.callTool(WORK))
    calling.catch(() => {})
    await server.advance(1000)
    await expect(calling).rejects.toMatchObject({ code: 'UNSUPPORTED_RESULT_TYPE' })
  })

  it('connects as one of 2025-11-25 without versionNegotiation, and gets no tasks', async () => {
    const server = createWorkServer()
    const sdk = new Client(info)
    const connecting = sdk.connect(withTasks(transportTo(server)))
    await server.advance(1000)
    await connecting
    const client = createTaskClient({ client: sdk, endpoint: 'work', environment: server.environment })
    const opening = client.connect()
    await server.advance(1000)
    await opening
    expect(client.store.getState().connection).toMatchObject({ era: 'legacy', tasks: false })
  })
})
