import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type TaskClient, type TaskClientSdkOptions, TaskConfigurationError, withTasks } from 'taskwire'
import {
  createSimulatedBrowser,
  createTestServer,
  type SimulatedPage,
  scriptTask,
  type TestServer,
} from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient, describeFull } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'

const SECOND = 1000
const WORK = { name: 'work', arguments: { seconds: 60, quiet: true } }

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

const items = () => {
  const storage = server.browser.storage.local
  return Array.from({ length: storage.length }, (_, index) => {
    const key = storage.key(index) ?? ''
    return `${key} ${storage.getItem(key)}`
  })
}

const open = (url: string, page: SimulatedPage, options: { scope?: string; endpoint?: string } = {}): TaskClient =>
  createTaskClient({ url, environment: page.environment, ...options })

/** The ids of the calls that a visit to this URL finds at work. */
async function found(url: string, options: { endpoint?: string } = {}): Promise<readonly string[]> {
  const client = open(url, server.browser.openPage(), options)
  const [calls] = await Promise.all([client.resumeToolCalls(), server.advance(100)])
  await client.close()
  return calls.map(({ callId }) => callId)
}

describe('the query of { url }', () => {
  it.each([
    ['another tenant', '?tenant=b'],
    ['no tenant', ''],
    ['more', '?tenant=a&x=1'],
  ])('[EDGE-08] keeps records apart: %s finds nothing', async (_, query) => {
    const page = server.browser.openPage()
    const client = open(`${server.url}?tenant=a`, page)
    client.startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    await page.close()
    expect(await found(`${server.url}${query}`)).toEqual([])
    expect(await found(`${server.url}?tenant=a`)).toHaveLength(1)
  })

  it('[EDGE-08] keeps tabs apart: what is called for one tenant is not polled for another', async () => {
    const [a, b] = ['a', 'b'].map((tenant) => open(`${server.url}?tenant=${tenant}`, server.browser.openPage()))
    await Promise.all([b?.connect(), server.advance(0)])
    a?.startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    expect(b?.store.getState().calls).toEqual({})
    expect(a?.id).not.toBe(b?.id)
    b?.startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    expect(server.count('tools/call')).toBe(2)
  })

  it('[EDGE-08] is in no record, no name of a lock and no id, not even in part', async () => {
    const names: string[] = []
    const page = server.browser.openPage()
    const { environment } = page
    const channel = (name: string) => {
      names.push(name)
      return environment.channel?.(name) as never
    }
    const client = createTaskClient({
      url: `${server.url}?access_token=topsecret&user=anna`,
      environment: { ...environment, channel },
    })
    client.startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    const written = [...items(), ...names, client.id].join(' ')
    expect(items()).toHaveLength(1)
    expect(written).not.toMatch(/topsecret|access_token|anna/)
  })

  it('[EDGE-08] that changes is no matter where the app names the endpoint itself', async () => {
    const page = server.browser.openPage()
    const client = open(`${server.url}?token=1`, page, { endpoint: 'reports' })
    client.startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    await page.close()
    expect(await found(`${server.url}?token=2`, { endpoint: 'reports' })).toHaveLength(1)
    expect(await found(`${server.url}?token=2`, { endpoint: 'other' })).toEqual([])
    expect(items().join()).toContain('reports')
  })

  it('[EDGE-08] is no part of a URL without one, nor is its fragment', async () => {
    const page = server.browser.openPage()
    open(server.url, page).startToolCall(WORK, { key: 'k' })
    await server.advance(SECOND)
    await page.close()
    expect(await found(`${server.url}#part`)).toHaveLength(1)
  })
})

describeFull('SDK clients of the app on two servers', () => {
  const servers = ['a', 'b'].map((name) => `http://${name}.example/mcp`)
  let browser: ReturnType<typeof createSimulatedBrowser>
  let byUrl: Map<string, TestServer>

  beforeEach(() => {
    byUrl = new Map(
      servers.map((url) => [url, createTestServer({ tools: [scriptTask([{ status: 'working' }], { name: 'work' })] })]),
    )
    browser = createSimulatedBrowser()
  })

  /** Lets time pass for the pages and for both servers. */
  async function advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 250) {
      for (const each of byUrl.values()) await each.advance(250)
      await browser.advance(250)
    }
  }

  async function connect(
    url: string | undefined,
    page: SimulatedPage,
    options: Partial<TaskClientSdkOptions> = {},
  ): Promise<TaskClient> {
    const sdk = new Client({ name: 'app', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const { fetch } = byUrl.get(url ?? '') as TestServer
    const transport = new StreamableHTTPClientTransport(new URL(url ?? ''), { fetch })
    const client = createTaskClient({
      client: sdk,
      transport: withTasks(transport, { environment: page.environment }),
      environment: page.environment,
      ...options,
    })
    return client
  }

  const polls = (url: string | undefined) => byUrl.get(url ?? '')?.count('tasks/get')

  it.each([{}, { endpoint: '' }])('[EDGE-08] share no record without an endpoint (%j)', async (options) => {
    const first = browser.openPage()
    const a = await connect(servers[0], first, options)
    a.startToolCall({ name: 'work' }, { key: 'k' })
    await advance(SECOND)
    expect(Object.values(a.store.getState().calls)).toMatchObject([{ phase: 'working' }])
    await first.close()

    const b = await connect(servers[1], browser.openPage(), options)
    const [resumed] = await Promise.all([b.resumeToolCalls(), advance(SECOND)])
    expect(resumed).toEqual([])
    await advance(5 * SECOND)
    expect(polls(servers[1])).toBe(0)
    expect(browser.storage.local.length).toBe(0)
  })

  it('[EDGE-08] share nothing with each other in one page, nor with another tab', async () => {
    const page = browser.openPage()
    const a = await connect(servers[0], page)
    const [b, c] = [await connect(servers[1], page), await connect(servers[1], browser.openPage())]
    for (const client of [b, c]) await Promise.all([client.connect(), advance(250)])
    a.startToolCall({ name: 'work' }, { key: 'k' })
    await advance(3 * SECOND)
    expect([b, c].map((client) => client.store.getState().calls)).toEqual([{}, {}])
    expect(polls(servers[1])).toBe(0)
    expect(new Set([a.id, b.id, c.id]).size).toBe(3)
  })

  it('[EDGE-08] hear once, with the first use, that an endpoint is missing, and calls work', async () => {
    const onError = vi.fn()
    const client = await connect(servers[0], browser.openPage(), { onError })
    expect(onError).not.toHaveBeenCalled()
    client.startToolCall({ name: 'work' }, { key: 'k' })
    client.startToolCall({ name: 'work' }, { key: 'l' })
    await advance(SECOND)
    expect(Object.values(client.store.getState().calls)).toMatchObject([{ phase: 'working' }, { phase: 'working' }])
    expect(onError).toHaveBeenCalledTimes(1)
    const [error, context] = onError.mock.calls[0] ?? []
    expect(error).toBeInstanceOf(TaskConfigurationError)
    expect(error.message).toContain('endpoint')
    expect(context).toEqual({ operation: 'storage' })
  })

  it("[EDGE-08] hear nothing of it with storage: 'memory', which keeps nothing anyway", async () => {
    const onError = vi.fn()
    const client = await connect(servers[0], browser.openPage(), { onError, storage: 'memory' })
    client.startToolCall({ name: 'work' })
    await advance(SECOND)
    expect(onError).not.toHaveBeenCalled()
  })

  it('[EDGE-08] with an endpoint each go on after a reload, and are told nothing', async () => {
    const onError = vi.fn()
    const first = browser.openPage()
    const options = { endpoint: servers[0] as string, onError }
    ;(await connect(servers[0], first, options)).startToolCall({ name: 'work' }, { key: 'k' })
    await advance(SECOND)
    await first.close()
    const next = await connect(servers[0], browser.openPage(), options)
    const [resumed] = await Promise.all([next.resumeToolCalls(), advance(SECOND)])
    expect(resumed).toHaveLength(1)
    const other = await connect(servers[1], browser.openPage(), { endpoint: servers[1] as string })
    const [theirs] = await Promise.all([other.resumeToolCalls(), advance(SECOND)])
    expect(theirs).toEqual([])
    expect(onError).not.toHaveBeenCalled()
  })
})

it('[EDGE-45] a URL whose path is a secret stands neither in a storage nor in the view of the wire', async () => {
  const secret = 'NmQxZmI0ZDU6c2VjcmV0'
  const client = open(server.url.replace('/mcp', `/s/${secret}/mcp`), server.browser.openPage())
  const seen: unknown[] = []
  client.observe((observation) => void seen.push(observation), { wire: true })
  await vi.dynamicImportSettled()
  void client.startToolCall(WORK, { key: 'k' }).result.catch(() => {})
  await server.advance(3 * SECOND)
  expect(items().join()).toContain('/s/')
  expect(JSON.stringify(seen)).toContain('/s/…/mcp')
  expect(JSON.stringify([items(), seen])).not.toContain(secret)
})
