import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createTaskClient,
  type TaskClient,
  type TaskClientObservation,
  type TaskClientUrlOptions,
  withTasks,
} from 'taskwire'
import type { TestServer } from 'taskwire/testing'
import type { WireObservation } from 'taskwire/types'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createWorkServer } from './support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

const isWire = (each: TaskClientObservation): each is WireObservation => each.type.startsWith('wire-')

function observeWire(client: TaskClient): WireObservation[] {
  const told: WireObservation[] = []
  client.observe((each) => void (isWire(each) && told.push(each)), { wire: true })
  return told
}

function open(options: Partial<TaskClientUrlOptions> = {}): { client: TaskClient; told: WireObservation[] } {
  const client = createTaskClient({ url: `${server.url}?key=hidden`, environment: server.environment, ...options })
  return { client, told: observeWire(client) }
}

/** An environment that counts the responses that a page copies; the server copies its own. */
function countCopies() {
  const copied = vi.fn()
  const copy = Response.prototype.clone
  const fetch: typeof server.environment.fetch = async (...request) => {
    const response = await server.environment.fetch(...request)
    vi.spyOn(response, 'clone').mockImplementation(() => {
      copied()
      return copy.call(response)
    })
    return response
  }
  return { copied, environment: { ...server.environment, fetch } }
}

/** Runs a call to its end. Returns the id of its task. */
async function run(client: TaskClient): Promise<string> {
  const call = client.startToolCall({ name: 'work', arguments: { seconds: 2 } })
  await server.advance(500)
  await vi.dynamicImportSettled()
  const taskId = call.getState().task?.taskId ?? ''
  await server.advance(5000)
  await call.result
  expect(taskId).not.toBe('')
  return taskId
}

const ofMethod = (told: readonly WireObservation[], method: string) => told.filter((each) => each.method === method)

describe('observe() with wire: true', () => {
  it('tells each request and its response, those before it was loaded included', async () => {
    const { client, told } = open({ push: false })
    await run(client)
    const [sent, answered] = ofMethod(told, 'tools/call')
    expect(sent).toMatchObject({
      type: 'wire-sent',
      http: { method: 'POST', url: server.url, headers: { 'content-type': 'application/json' } },
    })
    expect(answered).toMatchObject({ type: 'wire-answered', exchange: sent?.exchange, id: sent?.id })
    expect(answered).toMatchObject({ http: { status: 200 }, ms: 0, size: expect.any(Number) })
    expect(told[0]).toMatchObject({ method: 'server/discover' })
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ params: { name: 'work', arguments: { seconds: 2 } } })
  })

  it('names a task by the hash that its call has, in bodies and headers', async () => {
    const { client, told } = open({ push: false })
    const calls: TaskClientObservation[] = []
    client.observe((each) => calls.push(each))
    const taskId = await run(client)
    const created = calls.find(({ type }) => type === 'task-created')
    const task = created !== undefined && 'task' in created ? created.task : undefined
    const [poll] = ofMethod(told, 'tasks/get')
    expect(poll).toMatchObject({ task, http: { headers: { 'mcp-name': task } } })
    expect(JSON.parse(poll?.body ?? '')).toMatchObject({ params: { taskId: task } })
    expect(JSON.stringify(told)).not.toContain(taskId)
  })

  it('shows no credentials, and nothing of the query of the URL', async () => {
    const headers = { Authorization: 'Bearer hidden', Cookie: 'a=hidden', 'X-Api-Key': 'hidden', 'X-Trace': 'seen' }
    const { client, told } = open({ transportOptions: { requestInit: { headers } } })
    await run(client)
    expect(JSON.stringify(told)).not.toContain('hidden')
    const [sent] = ofMethod(told, 'tools/call')
    expect(sent).toMatchObject({
      http: { headers: { authorization: 'Bearer [redacted]', 'x-api-key': '[redacted]', 'x-trace': '[redacted]' } },
    })
  })

  it('shows no body of what is no JSON-RPC, such as a sign-in', async () => {
    let fetchOfTransport: typeof fetch | undefined
    const { client, told } = open({
      push: false,
      transportOptions: {
        fetch: async (url, init) =>
          String(url).endsWith('/token')
            ? Response.json({ access_token: 'hidden' })
            : server.environment.fetch(url, init),
        authProvider: {
          token: async () => undefined,
          onUnauthorized: async ({ fetchFn }) => {
            fetchOfTransport = fetchFn as typeof fetch
            await fetchFn('https://login.example/token', { method: 'POST', body: '{"client_secret":"hidden"}' })
          },
        },
      },
    })
    server.faults.status(401, { method: 'tools/call', times: 1 })
    await run(client)
    expect(fetchOfTransport).toBeDefined()
    const [sent, answered] = told.filter(({ method }) => method === 'POST')
    expect([sent?.body, answered?.body]).toEqual([undefined, undefined])
    expect(answered).toMatchObject({ type: 'wire-answered', http: { status: 200 } })
    expect(JSON.stringify(told)).not.toContain('hidden')
  })

  it('tells that a request got no response', async () => {
    const { client, told } = open({ push: false })
    server.faults.drop({ method: 'tasks/get', times: 1 })
    await run(client)
    const failed = told.find(({ type }) => type === 'wire-failed')
    expect(failed).toMatchObject({ method: 'tasks/get', message: expect.any(String) })
  })

  it('tells what comes in a stream', async () => {
    server = createWorkServer({ push: true })
    const { client, told } = open()
    await run(client)
    expect(ofMethod(told, 'subscriptions/listen')[1]).toMatchObject({ type: 'wire-answered', isStream: true })
    expect(ofMethod(told, 'notifications/tasks')[0]).toMatchObject({ type: 'wire-event', task: expect.any(String) })
  })

  it('tells the messages of an SDK client', async () => {
    const sdk = new Client({ name: 'app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const { fetch } = server.environment
    await Promise.all([
      sdk.connect(withTasks(new StreamableHTTPClientTransport(new URL(server.url), { fetch }))),
      server.advance(100),
    ])
    const { environment } = server
    const client = createTaskClient({ client: sdk, endpoint: server.url, environment, push: false })
    const told = observeWire(client)
    const taskId = await run(client)
    const [sent, answered] = ofMethod(told, 'tasks/get')
    expect(sent).toMatchObject({ type: 'wire-sent', task: expect.any(String) })
    expect(answered).toMatchObject({ type: 'wire-answered', exchange: sent?.exchange })
    expect(sent).not.toHaveProperty('http')
    expect(JSON.stringify(told)).not.toContain(taskId)
  })
})

it('observe() without wire tells nothing of the wire, and copies no response of a call or a task', async () => {
  const { copied, environment } = countCopies()
  const client = createTaskClient({ url: server.url, environment })
  const told: TaskClientObservation[] = []
  client.observe((each) => told.push(each))
  await run(client)
  expect(told.filter(isWire)).toEqual([])
  expect(told).not.toEqual([])
  // The response to server/discover, in which an error of the revision is looked for.
  expect(copied).toHaveBeenCalledOnce()
})

it('the wire is observed no more once nobody asks for it', async () => {
  const client = createTaskClient({ url: server.url, environment: server.environment, push: false })
  client.observe(() => {})
  const told: TaskClientObservation[] = []
  const stop = client.observe((each) => told.push(each), { wire: true })
  await run(client)
  stop()
  const copies = vi.spyOn(Response.prototype, 'clone')
  const before = told.length
  await run(client)
  expect(told).toHaveLength(before)
  expect(copies).not.toHaveBeenCalled()
})
