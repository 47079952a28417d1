import type { TaskClientUrlOptions } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient, itFull } from '../support/anyClient.js'
import {
  completed,
  created,
  createScriptedServer,
  http,
  type Reply,
  result,
  rpcError,
  silence,
  snapshot,
  speakLegacy,
  unreachable,
} from '../support/scriptedServer.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const discovered = (extensions: Record<string, unknown> = {}) =>
  result({ supportedVersions: ['2026-07-28'], capabilities: { tools: {}, extensions } })

function setUp(options: Partial<TaskClientUrlOptions> = {}) {
  const page = createSimulatedEnvironment({ turns: 60 })
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', created({ status: 'completed' }))
  server.on('tasks/get', completed())
  const reported: { message: string; operation: string }[] = []
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    onError: ({ message }, { operation }) => reported.push({ message, operation }),
    ...options,
  })
  const connection = () => client.store.getState().connection
  const count = (method: string) => server.received(method).length
  return { page, server, client, connection, count, reported }
}

/** What becomes of a promise. */
function track(promise: Promise<unknown>): { result?: unknown; error?: unknown } {
  const outcome = {}
  promise.then(
    (value) => Object.assign(outcome, { result: value }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  return outcome
}

describe('a server that is down when the page loads', () => {
  it.each([
    ['refuses connections', unreachable],
    ['is being deployed', http(503)],
  ])('[EDGE-38] is asked until it is there, and the call is made once: one that %s', async (_, down) => {
    const { page, server, client, connection, count, reported } = setUp()
    server.on('server/discover', down)
    const outcome = track(client.callTool({ name: 'report' }, { key: 'k' }))
    await page.advance(10 * MINUTE)
    expect(outcome).toEqual({})
    expect(connection()).toMatchObject({ status: 'connecting', error: { name: 'ConnectionFailedError' } })
    expect(reported[0]).toMatchObject({ operation: 'connect' })
    // Backing off, half a minute apart in the end.
    const asked = count('server/discover')
    expect(asked).toBeGreaterThan(15)
    expect(asked).toBeLessThan(80)
    server.on('server/discover', discovered())
    await page.advance(MINUTE)
    expect(outcome).toHaveProperty('result')
    expect(connection().status).toBe('connected')
    expect(count('tools/call')).toBe(1)
  })

  it('[EDGE-38] is left alone while the page is offline', async () => {
    const { page, server, client, count } = setUp()
    server.on('server/discover', unreachable)
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(MINUTE)
    await page.setOnline(false)
    const asked = count('server/discover')
    await page.advance(10 * MINUTE)
    expect(count('server/discover')).toBe(asked)
    server.on('server/discover', discovered())
    await page.setOnline(true)
    await page.advance(MINUTE)
    expect(outcome).toHaveProperty('result')
  })

  it('[EDGE-38] is asked again after 30 s where it does not answer', async () => {
    const { page, server, client, connection, count } = setUp()
    server.on('server/discover', silence, discovered())
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(29_999)
    expect(count('server/discover')).toBe(1)
    await page.advance(1)
    expect(connection()).toMatchObject({
      status: 'connecting',
      error: { name: 'ConnectionFailedError', message: expect.stringContaining('did not answer within 30 s') },
    })
    await page.advance(5000)
    expect(count('server/discover')).toBe(2)
    expect(outcome).toHaveProperty('result')
  })

  it('[EDGE-38] is asked again after 20 s where the headers of the app do not come', async () => {
    let isStuck = true
    const headers = () => (isStuck ? new Promise<HeadersInit>(() => {}) : {})
    const { page, client, connection } = setUp({ headers })
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(20_000)
    expect(connection()).toMatchObject({
      status: 'connecting',
      error: { name: 'ConnectionFailedError', message: expect.stringContaining('headers function') },
    })
    isStuck = false
    await page.advance(25_000)
    expect(outcome).toHaveProperty('result')
  })
})

describe('a server that goes down while a task runs', () => {
  it('[EDGE-38] is not shown as connected while every poll fails, and is again with the first that passes', async () => {
    const { page, server, client, connection, reported } = setUp({ push: false })
    server.on('tools/call', created())
    server.on('tasks/get', snapshot())
    const call = client.startToolCall({ name: 'report' })
    await page.advance(5000)
    const before = connection()
    expect(before.status).toBe('connected')
    server.on('tasks/get', unreachable)
    await page.advance(MINUTE)
    expect(connection()).toMatchObject({
      ...before,
      status: 'connecting',
      error: { name: 'TaskRequestError', kind: 'network' },
    })
    expect(reported.filter(({ operation }) => operation === 'connect')).toHaveLength(1)
    server.on('tasks/get', completed())
    await page.advance(MINUTE)
    expect(call.getState().phase).toBe('completed')
    expect(connection()).toEqual(before)
  })

  it('[EDGE-38] stays connected where one of its answers fails', async () => {
    const { page, server, client, connection } = setUp({ push: false })
    server.on('tools/call', created())
    server.on('tasks/get', snapshot(), http(503), snapshot())
    const seen: string[] = []
    client.store.subscribe(({ connection: { status } }) => seen.push(status))
    client.startToolCall({ name: 'report' })
    await page.advance(MINUTE)
    expect(connection().status).toBe('connected')
    expect(seen.slice(seen.indexOf('connected'))).not.toContain('connecting')
  })
})

describe('a server that refuses server/discover with an error of 2026-07-28', () => {
  it.each([
    [-32020, 'Header mismatch: Mcp-Method is missing', 400, 'Mcp-Method'],
    [-32021, 'Missing required client capability', 400, 'capabilities'],
    [-32020, 'Header mismatch', 200, 'Mcp-Method'],
  ])('[EDGE-43] is not taken for one of an earlier revision: %i', async (code, message, status, advice) => {
    const { page, server, client, connection, count, reported } = setUp()
    speakLegacy(server)
    server.on('server/discover', rpcError(code, message, { status }))
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(MINUTE)
    expect(outcome.error).toMatchObject({ name: 'ConnectionFailedError', cause: { code } })
    const said = String(outcome.error)
    for (const words of [`${code}`, message, advice]) expect(said).toContain(words)
    expect(said).not.toContain('speaks 2025-11-25 as well')
    expect(count('initialize')).toBe(0)
    expect(connection()).toMatchObject({ status: 'failed' })
    expect(reported[0]).toMatchObject({ operation: 'connect', message: expect.stringContaining(message) })
  })

  itFull('[EDGE-43] of which a proxy drops Mcp-Method is not taken for one without tasks', async () => {
    const { createTaskServer } = await import('taskwire/server')
    const { page, client, connection } = setUp()
    await client.close()
    const tasks = createTaskServer({ serverInfo: { name: 's', version: '1' }, tools: [] })
    const fetch = (url: string | URL, init?: RequestInit) => {
      const headers = new Headers(init?.headers)
      headers.delete('mcp-method')
      return tasks.fetch(new Request(url, { ...init, headers }))
    }
    const behind = createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch },
      environment: page.environment,
    })
    const outcome = track(behind.connect())
    await page.advance(MINUTE)
    expect(String(outcome.error)).toMatch(/-32020.*Mcp-Method/)
    expect(connection().status).toBe('closed')
  })
})

describe('a poll that is refused for its headers', () => {
  it('[EDGE-47] ends the call with what is missing, and is not sent again', async () => {
    const { page, server, client, count } = setUp({ push: false })
    server.on('tools/call', created())
    server.on('tasks/get', rpcError(-32020, 'Header mismatch: Mcp-Name is missing', { status: 400 }))
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(HOUR)
    expect(outcome.error).toMatchObject({
      name: 'TasksUnsupportedError',
      code: -32020,
      message: expect.stringMatching(/Mcp-Name is missing.*@modelcontextprotocol\/client before 2\.1/),
    })
    expect(count('tasks/get')).toBe(1)
  })
})

describe('a tools/call of which every answer is unreadable, on a server that takes keys', () => {
  const TAKES_KEYS = { 'io.modelcontextprotocol/tasks': {}, 'dev.taskwire/idempotent-calls': {} }

  it('[EDGE-40] is given up where server/discover is answered, and says that its body is what is refused', async () => {
    const { page, server, client, count, reported, connection } = setUp()
    server.on('server/discover', discovered(TAKES_KEYS))
    // A 413 of a gateway has no CORS headers, so a page reads nothing of it.
    server.on('tools/call', unreachable)
    const outcome = track(client.callTool({ name: 'report', arguments: { text: 'x'.repeat(1000) } }))
    await page.advance(5 * MINUTE)
    expect(outcome.error).toMatchObject({
      name: 'ToolCallInterruptedError',
      message: expect.stringMatching(/"report".*server\/discover.*body.*413.*403/),
    })
    expect(count('tools/call')).toBe(6)
    expect(reported.map(({ message }) => message).join()).toContain('body')
    expect(connection().status).toBe('connected')
  })

  it('[EDGE-40] is sent again where server/discover is not answered either', async () => {
    const { page, server, client, count, connection } = setUp()
    server.on('server/discover', discovered(TAKES_KEYS), unreachable)
    const down: Reply[] = Array.from({ length: 8 }, () => unreachable)
    server.on('tools/call', ...(down as [Reply]), created({ status: 'completed' }))
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(20_000)
    expect(outcome).toEqual({})
    expect(connection().status).toBe('connecting')
    await page.advance(10 * MINUTE)
    expect(outcome).toHaveProperty('result')
    expect(count('tools/call')).toBe(9)
    expect(connection().status).toBe('connected')
  })

  it('[EDGE-40] is sent again where the server was down, and the first call that it could have answered is lost', async () => {
    const { page, server, client, count } = setUp()
    const isDown = () => count('tools/call') > 0 && count('tools/call') < 6
    server.on('server/discover', (request) => (isDown() ? unreachable : discovered(TAKES_KEYS))(request))
    const lost: Reply[] = Array.from({ length: 7 }, () => unreachable)
    server.on('tools/call', ...(lost as [Reply]), created({ status: 'completed' }))
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(10 * MINUTE)
    expect(outcome).toHaveProperty('result')
    expect(count('tools/call')).toBe(8)
  })

  it('[EDGE-40] can be cancelled while the client asks whether the server is there', async () => {
    const { page, server, client, count } = setUp()
    server.on('server/discover', discovered(TAKES_KEYS), silence)
    server.on('tools/call', unreachable)
    const call = client.startToolCall({ name: 'report' })
    const outcome = track(call.result)
    while (count('server/discover') < 2) await page.advance(1000)
    expect(count('tools/call')).toBe(4)
    await call.cancel()
    await page.advance(0)
    expect(outcome.error).toMatchObject({ name: 'TaskCancelledError' })
    expect(call.getState().phase).toBe('cancelled')
    await page.advance(10 * MINUTE)
    expect(count('tools/call')).toBe(4)
  })
})
