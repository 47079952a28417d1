import type { TaskClientUrlOptions } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it, vi } from 'vitest'
import { createTaskClient, describeFull } from './support/anyClient.js'
import {
  completed,
  created,
  createScriptedServer,
  http,
  result,
  silence,
  snapshot,
  speakLegacy,
  TASKS,
} from './support/scriptedServer.js'
import { createVisits } from './support/visits.js'

const discovered = (capabilities: Record<string, unknown>) =>
  result({ supportedVersions: ['2026-07-28'], capabilities })

function setUp(options: Partial<TaskClientUrlOptions> = {}) {
  const page = createSimulatedEnvironment({ turns: 60 })
  const server = createScriptedServer({ now: page.now })
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    ...options,
  })
  const connection = () => client.store.getState().connection
  const count = (method: string) => server.received(method).length
  return { page, server, client, connection, count }
}

describe('a server that is down when the page loads', () => {
  it('is asked again, and the call is made once', async () => {
    const { page, server, client, connection, count } = setUp()
    server.on('server/discover', http(503), http(502), discovered({ tools: {} }))
    server.on('tools/call', created({ status: 'completed' }))
    server.on('tasks/get', completed())
    const call = client.startToolCall({ name: 'report' }, { key: 'k' })
    await page.settle()
    expect(connection()).toMatchObject({ status: 'connecting', error: { name: 'ConnectionFailedError' } })
    expect(call.getState().phase).toBe('calling')
    await page.advance(10_000)
    await expect(call.result).resolves.toBeDefined()
    expect([count('server/discover'), count('tools/call')]).toEqual([3, 1])
    expect(connection()).not.toHaveProperty('error')
  })

  it('is left alone for as long as Retry-After says', async () => {
    const { page, server, client, count } = setUp()
    const busy = http(429, { headers: { 'Retry-After': '9' } })
    server.on('server/discover', busy, discovered({ tools: {} }))
    const connected = client.connect()
    await page.advance(8999)
    expect(count('server/discover')).toBe(1)
    await page.advance(1)
    await expect(connected).resolves.toBeUndefined()
  })

  it('is given up after 30 s by the clock of its environment, and by no other', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    try {
      const { page, server, client, connection, count } = setUp()
      server.on('server/discover', silence, discovered({ tools: {} }))
      const connected = client.connect()
      await page.settle()
      vi.advanceTimersByTime(120_000)
      await page.settle()
      expect(connection()).not.toHaveProperty('error')
      await page.advance(30_000)
      expect(connection()).toMatchObject({ status: 'connecting', error: { name: 'ConnectionFailedError' } })
      await page.advance(10_000)
      await expect(connected).resolves.toBeUndefined()
      expect(count('server/discover')).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })

  // task  tasks/get, again in 100 s ─────────────────── due: 20 s are left ──── tasks/get
  // page           server/discover: 503, again in two minutes ────────── server/discover
  it('is asked for a task that falls due in that time at its end, and not as long after', async () => {
    const { browser, server, open, times } = createVisits(createTaskClient)
    server.on('tools/call', created())
    server.on('tasks/get', http(503, { headers: { 'Retry-After': '100' } }), snapshot())
    const earlier = open()
    earlier.client.startToolCall({ name: 'report' }, { key: 'a' }).result.catch(() => {})
    await browser.advance(2000)
    await earlier.page.close()
    server.on('server/discover', http(503, { headers: { 'Retry-After': '120' } }), discovered({ tools: {} }))
    const { client } = open()
    await Promise.all([client.connect().catch(() => {}), client.resumeToolCalls(), browser.advance(119_000)])
    expect(times('tasks/get')).toHaveLength(1)
    await browser.advance(20_000)
    expect(times('tasks/get').length).toBeGreaterThan(1)
  })

  // poll ─ server/discover: 503, again in two minutes ─────────── server/discover ─ tasks/get
  it('is left alone for as long by the polls of the tasks of an earlier visit', async () => {
    const { browser, server, open, times } = createVisits(createTaskClient)
    server.on('tools/call', created({ taskId: 'task-1' }), created({ taskId: 'task-2', pollIntervalMs: 3000 }))
    server.on('tasks/get', (request) => snapshot({ taskId: request.params['taskId'] })(request))
    const earlier = open()
    for (const key of ['a', 'b']) earlier.client.startToolCall({ name: 'report' }, { key }).result.catch(() => {})
    await browser.advance(4500)
    await earlier.page.close()
    const busy = http(503, { headers: { 'Retry-After': '120' } })
    server.on('server/discover', busy, discovered({ tools: {} }))
    const { client } = open()
    await Promise.all([client.resumeToolCalls(), browser.advance(119_000)])
    const [first = 0] = times('server/discover').slice(1)
    expect(times('server/discover').slice(1)).toEqual([first])
    const polls = times('tasks/get').length
    await browser.advance(60_000)
    expect(times('server/discover').slice(1)).toEqual([first, expect.closeTo(first + 120_000, -4)])
    expect(
      new Set(
        server
          .received('tasks/get')
          .slice(polls)
          .map(({ params }) => params['taskId']),
      ),
    ).toEqual(new Set(['task-1', 'task-2']))
  })

  // app   server/discover: 503 ─────── backoff ─────── not now ······· server/discover
  // poll                        server/discover: 503, again in 20 s
  it('is left alone by the app for as long as it has told a poll meanwhile', async () => {
    const { browser, server, open, times } = createVisits(createTaskClient)
    server.on('tools/call', created())
    const earlier = open()
    earlier.client.startToolCall({ name: 'report' }, { key: 'a' }).result.catch(() => {})
    await browser.advance(500)
    await earlier.page.close()
    const before = times('server/discover').length
    const busy = http(503, { headers: { 'Retry-After': '20' } })
    server.on('server/discover', http(503), busy, discovered({ tools: {}, extensions: { [TASKS]: {} } }))
    const { client } = open()
    await Promise.all([client.connect(), client.resumeToolCalls(), browser.advance(60_000)])
    const [told = 0, ...later] = times('server/discover').slice(before + 1)
    expect(later).toEqual([told + 20_000])
  })

  it.each([408, 425, 429])('is not taken for one of 2025-11-25 because it says %i', async (status) => {
    const { page, server, client, connection, count } = setUp()
    speakLegacy(server)
    server.on('server/discover', http(status, { body: 'Too many' }), discovered({ tools: {} }))
    const connected = client.connect()
    await page.settle()
    expect(connection()).toMatchObject({
      status: 'connecting',
      error: {
        name: 'ConnectionFailedError',
        message: expect.stringMatching(`HTTP ${status} and said "Too many"`),
        cause: { name: 'HttpError', status },
      },
    })
    // Without what the server has sent.
    expect(connection().error?.cause).not.toHaveProperty('data')
    await page.advance(1000)
    await connected
    expect(connection()).toMatchObject({ status: 'connected', era: 'modern' })
    expect(count('initialize')).toBe(0)
  })

  it('is given up after `retry.connectAttempts`, and asked again when the page is shown', async () => {
    const { page, server, client, connection, count } = setUp({ retry: { connectAttempts: 2 } })
    server.on('server/discover', http(503), http(503), discovered({ tools: {} }))
    const call = client.startToolCall({ name: 'report' })
    await page.advance(60_000)
    await expect(call.result).rejects.toMatchObject({ name: 'ConnectionFailedError' })
    expect([connection().status, count('server/discover')]).toEqual(['failed', 2])
    await page.setVisible(true)
    expect([connection().status, count('server/discover')]).toEqual(['connected', 3])
    expect(count('tools/call')).toBe(0)
  })
})

describeFull('the option era', () => {
  it("'legacy' connects by initialize at once", async () => {
    const { page, server, client, connection, count } = setUp({ era: 'legacy' })
    speakLegacy(server)
    await Promise.all([client.connect(), page.settle()])
    expect([count('server/discover'), count('initialize')]).toEqual([0, 1])
    expect(connection()).toMatchObject({ era: 'legacy', eraReason: expect.stringContaining("era: 'legacy'") })
  })

  it("'modern' does not fall back", async () => {
    const { page, server, client, count } = setUp({ era: 'modern' })
    speakLegacy(server)
    const connected = client.connect()
    connected.catch(() => {})
    await page.advance(60_000)
    await expect(connected).rejects.toMatchObject({ name: 'ConnectionFailedError' })
    expect(count('initialize')).toBe(0)
  })

  it("is 'auto' by default, and a server that names no tasks by server/discover may have them in the other", async () => {
    const { page, server, client, connection } = setUp()
    server.on('server/discover', discovered({ tools: {} }))
    await Promise.all([client.connect(), page.settle()])
    expect(connection()).toMatchObject({
      era: 'modern',
      tasks: false,
      eraReason: expect.stringContaining("try era: 'legacy'"),
    })
  })
})
