import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createTaskClient, type TaskClient, withTasks } from 'taskwire'
import { byStatusField, defineJob } from 'taskwire/jobs'
import { createTaskClient as createSdkV1Client } from 'taskwire/sdk-v1'
import { createSimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import {
  createScriptedServer,
  legacyResult,
  result,
  rpcError,
  type ScriptedServer,
  speakLegacy,
} from '../support/scriptedServer.js'
import { string, structured, tool } from './jobFixture.js'

const URL_OF_SERVER = 'https://tasks.example/mcp'

const jobs = [
  defineJob({
    start: 'render',
    status: 'render_status',
    cancel: 'stop_render',
    id: 'run_id',
    read: byStatusField('status'),
    intervalMs: 2000,
  }),
]

type Open = (server: ScriptedServer, page: SimulatedPage) => Promise<TaskClient>

const openByUrl: Open = async (server, { environment }) =>
  createTaskClient({ url: URL_OF_SERVER, transportOptions: { fetch: server.fetch }, environment, jobs })

const openSdkV2: Open = async (server, { environment }) => {
  const sdk = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(new URL(URL_OF_SERVER), { fetch: server.fetch })
  await sdk.connect(withTasks(transport, { environment }))
  return createTaskClient({ client: sdk, endpoint: URL_OF_SERVER, environment, jobs })
}

const openSdkV1 =
  (create: typeof createSdkV1Client): Open =>
  async (server, { environment }) => {
    const sdk = new ClientV1({ name: 'app', version: '1' })
    const transport = new TransportV1(new URL(URL_OF_SERVER), { fetch: server.fetch as typeof fetch })
    // SDK v1 is not written for exactOptionalPropertyTypes.
    await sdk.connect(transport as Parameters<ClientV1['connect']>[0])
    return create({ client: sdk, endpoint: URL_OF_SERVER, environment, jobs })
  }

interface Era {
  readonly era: 'modern' | 'legacy'
  readonly speak: (server: ScriptedServer) => void
}

const modern: Era = { era: 'modern', speak: () => {} }
const stateless: Era = { era: 'legacy', speak: (server) => speakLegacy(server) }
let sessions = 0
const withSession: Era = {
  era: 'legacy',
  speak: (server) =>
    speakLegacy(server, { tools: {} }, () => {
      sessions += 1
      return { 'mcp-session-id': `session-${sessions}` }
    }),
}

describe.each<[string, Open, Era]>([
  ['a server of 2026-07-28', openByUrl, modern],
  ['a server of 2025-11-25', openByUrl, stateless],
  ['a server of 2025-11-25 with sessions', openByUrl, withSession],
  ['an SDK v2 client of the app', openSdkV2, modern],
  ['an SDK v2 client of the app that speaks 2025-11-25', openSdkV2, stateless],
  ['an SDK v1 client of the app', openSdkV1(createTaskClient), stateless],
  ['an SDK v1 client of the app, by taskwire/sdk-v1', openSdkV1(createSdkV1Client), stateless],
])('over %s, a job', (_, open, { era, speak }) => {
  function setUp() {
    const browser = createSimulatedBrowser()
    const server = createScriptedServer({ now: browser.now, capabilities: { tools: {} } })
    speak(server)
    const answer = era === 'modern' ? result : legacyResult
    let status = 'running'
    const tools = [
      tool('render', {}, []),
      tool('render_status', { run_id: string }, ['run_id']),
      tool('stop_render', { run_id: string }, ['run_id']),
    ]
    server.on('tools/list', answer({ tools, ...(era === 'modern' && { ttlMs: 0, cacheScope: 'private' }) }))
    server.on('tools/call', (request) => {
      const { name } = request.params
      if (name === 'stop_render') status = 'stopping'
      return answer(structured(name === 'render' ? { run_id: 'run-12345678' } : { status }))(request)
    })
    const visit = async (page: SimulatedPage) => {
      const client = await open(server, page)
      // What the era takes is loaded with the first use, in real time.
      await client.connect()
      return client
    }
    const start = (client: TaskClient) => {
      const call = client.startToolCall({ name: 'render' }, { key: 'once' })
      call.result.catch(() => {})
      return call
    }
    const calls = (name: string) => server.received('tools/call').filter(({ params }) => params['name'] === name)
    const says = (next: string) => {
      status = next
    }
    return { browser, server, visit, start, calls, says, openPage: () => browser.openPage() }
  }

  it('is polled to its end', async () => {
    const { browser, server, visit, start, calls, says, openPage } = setUp()
    const client = await visit(openPage())
    const call = start(client)
    await browser.advance(2010)
    expect(call.getState()).toMatchObject({ phase: 'working', task: { taskId: 'taskwire:job:render:run-12345678' } })
    expect(client.store.getState().connection).toMatchObject({ status: 'connected', era })
    says('done')
    await browser.advance(2000)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'done' } })
    expect(calls('render_status')).toHaveLength(2)
    expect(server.received('tasks/*')).toEqual([])
  })

  it('goes on after a reload, at the time that was due', async () => {
    const { browser, visit, start, calls, says, openPage } = setUp()
    const before = openPage()
    start(await visit(before))
    await browser.advance(2500)
    await before.close()
    says('done')
    const call = start(await visit(openPage()))
    await browser.advance(1000)
    expect(calls('render_status')).toHaveLength(1)
    await browser.advance(1000)
    await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'done' } })
    expect(calls('render')).toHaveLength(1)
  })

  it('is cancelled by its tool', async () => {
    const { browser, visit, start, calls, says, openPage } = setUp()
    const call = start(await visit(openPage()))
    await browser.advance(10)
    await call.cancel()
    expect(calls('stop_render')[0]?.params).toMatchObject({ arguments: { run_id: 'run-12345678' } })
    says('cancelled')
    await browser.advance(2000)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
  })

  it('ends in words where the server does not know it', async () => {
    const { browser, server, visit, start, openPage } = setUp()
    const call = start(await visit(openPage()))
    await browser.advance(10)
    server.on('tools/call', rpcError(-32602, 'run-12345678 does not exist'))
    await browser.advance(2000)
    await expect(call.result).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
  })
})

it('a job outlives an update of the server from 2025-11-25 to 2026-07-28', async () => {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now, capabilities: { tools: {} } })
  speakLegacy(server)
  server.on('tools/call', legacyResult(structured({ run_id: 'run-12345678', status: 'running' })))
  const before = browser.openPage()
  const first = (await openByUrl(server, before)).startToolCall({ name: 'render' }, { key: 'once' })
  first.result.catch(() => {})
  await browser.advance(100)
  await before.close()
  const updated = createScriptedServer({ now: browser.now, capabilities: { tools: {} } })
  updated.on('tools/call', result(structured({ status: 'done' })))
  const call = (await openByUrl(updated, browser.openPage())).startToolCall({ name: 'render' }, { key: 'once' })
  await browser.advance(2000)
  await expect(call.result).resolves.toMatchObject({ structuredContent: { status: 'done' } })
})
