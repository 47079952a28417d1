import { type TaskClient, TaskConfigurationError, type ToolCall } from 'taskwire'
import { defineTool } from 'taskwire/server'
import { createSimulatedBrowser, createTestServer, scriptTask, type TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createTaskClient } from '../support/anyClient.js'
import { createWorkServer } from '../support/workServer.js'

let server: TestServer
let client: TaskClient

beforeEach(() => {
  server = createWorkServer()
  client = createTaskClient({ url: server.url, environment: server.environment, retry: { baseMs: 100 } })
})

const work = (seconds: number): ToolCall => client.startToolCall({ name: 'work', arguments: { seconds } })

describe('the request log', () => {
  it('has method, tool, params, headers and time of every request', async () => {
    work(2)
    await server.advance(5000)
    expect(server.requests.map(({ method, name, at }) => [method, name, at])).toEqual([
      ['server/discover', undefined, 0],
      ['tools/call', 'work', 0],
      // Not honoured: see `push`.
      ['subscriptions/listen', undefined, 50],
      ['tasks/get', undefined, 1000],
      ['tasks/get', undefined, 2000],
    ])
    expect(server.requests[1]?.params).toMatchObject({ name: 'work', arguments: { seconds: 2 } })
    expect(server.requests[1]?.headers.get('mcp-name')).toBe('work')
  })

  it('counts and times by method, and by tool', async () => {
    work(1)
    client.startToolCall({ name: 'echo', arguments: { text: 'hi' } })
    await server.advance(5000)
    expect(server.count('tools/call')).toBe(2)
    expect(server.count('tools/call', 'echo')).toBe(1)
    expect(server.count('tasks/cancel')).toBe(0)
    expect(server.times('tasks/get')).toEqual([1000])
  })

  it('names what is no JSON-RPC by its HTTP method', async () => {
    await server.fetch(server.url)
    await server.fetch(server.url, { method: 'POST', body: 'nonsense' })
    expect(server.requests.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'GET', params: {} },
      { method: 'POST', params: {} },
    ])
  })
})

describe('a fault', () => {
  it('drop: the network fails, the call goes on when it is back', async () => {
    const call = work(5)
    await server.advance(500)
    const restore = server.faults.drop()
    await server.advance(2000)
    expect(call.getState()).toMatchObject({
      phase: 'working',
      network: 'retrying',
      lastError: { name: 'TaskRequestError', kind: 'network' },
    })
    restore()
    await server.advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', network: 'ok' })
  })

  it('drop: a lost response leaves a call in doubt that the server has taken', async () => {
    server = createWorkServer({ idempotentCalls: false })
    client = createTaskClient({ url: server.url, environment: server.environment })
    const before = server.faults.drop({ method: 'tools/call' })
    const unsent = work(1)
    await server.advance(100)
    before()
    server.faults.drop({ method: 'tools/call', lose: 'response', times: 1 })
    const unanswered = work(1)
    await server.advance(100)
    for (const call of [unsent, unanswered]) {
      expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ToolCallInterruptedError' } })
    }
    expect(server.count('tools/call')).toBe(2)
  })

  it('delay: the response takes longer, by the same clock', async () => {
    server.faults.delay(700, { method: 'tools/call' })
    const call = work(1)
    await server.advance(699)
    expect(call.getState().phase).toBe('calling')
    await server.advance(1)
    expect(call.getState().phase).toBe('working')
  })

  it('delay: a response that never comes is waited for until the client gives up', async () => {
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call' })
    const call = work(1)
    await server.advance(60_000)
    expect(call.getState().phase).toBe('calling')
    await call.cancel()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
  })

  it('status: the server refuses, and Retry-After is heard', async () => {
    server.faults.status(503, { retryAfter: 7, method: 'tasks/get', times: 1 })
    const call = work(2)
    await server.advance(1500)
    expect(call.getState()).toMatchObject({ network: 'retrying', lastError: { kind: 'http' } })
    await server.advance(10_000)
    expect(server.times('tasks/get')).toEqual([1000, 8000])
    expect(call.getState().phase).toBe('completed')
  })

  it('malformed: a response that makes no sense is one failure, not the end', async () => {
    server.faults.malformed({ method: 'tasks/get', times: 1 })
    const call = work(2)
    await server.advance(1500)
    expect(call.getState()).toMatchObject({ phase: 'working', lastError: { kind: 'malformed' } })
    await server.advance(2000)
    expect(call.getState().phase).toBe('completed')
  })

  it('malformed: with a body of its own, as of a login page', async () => {
    server.faults.malformed({ body: '<!doctype html>', method: 'server/discover' })
    const call = work(1)
    await server.advance(60_000)
    expect(call.getState()).toMatchObject({ error: { name: 'ConnectionFailedError' } })
  })

  describe('cut', () => {
    beforeEach(() => {
      server = createWorkServer({ push: true })
      client = createTaskClient({ url: server.url, environment: server.environment })
    })

    it('breaks the stream of those who listen, who listen again', async () => {
      const call = work(60)
      await server.advance(2500)
      expect(server.faults.cut()).toBe(1)
      await server.advance(10_000)
      expect(call.getState()).toMatchObject({ network: 'ok', task: { statusMessage: 'step 12' } })
      expect(server.count('subscriptions/listen')).toBe(2)
      expect(server.count('tasks/get')).toBeLessThanOrEqual(1)
      expect(server.faults.cut()).toBe(1)
    })

    it('is for what is open, and tells how much that was', async () => {
      expect(server.faults.cut()).toBe(0)
      work(2)
      await server.advance(500)
      expect(server.faults.cut({ method: 'tools/call' })).toBe(0)
      await server.advance(2000)
      // The task is over, and so is its stream.
      expect(server.faults.cut()).toBe(0)
    })

    it('breaks the response to a client of an earlier revision, which is a stream, too', async () => {
      const params = { name: 'work', arguments: { seconds: 5 } }
      const response = await server.fetch(server.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      expect(server.faults.cut({ method: 'tools/call' })).toBe(1)
      await expect(response.text()).rejects.toThrow('network error')
    })
  })

  it('is for its method only, for so many requests, and until it is switched off', async () => {
    server.faults.status(500, { method: 'tasks/get', times: 2 })
    const restore = server.faults.status(500, { method: 'tasks/update' })
    const statusOf = async (method: string): Promise<number> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} })
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      return (await server.fetch(server.url, { method: 'POST', body, headers })).status
    }
    const statuses: number[] = []
    for (const method of ['tasks/cancel', 'tasks/get', 'tasks/update', 'tasks/get', 'tasks/get', 'tasks/update']) {
      statuses.push(await statusOf(method))
    }
    restore()
    statuses.push(await statusOf('tasks/update'))
    expect(statuses.map((status) => status === 500)).toEqual([false, true, true, true, false, true, false])
  })

  it('comes after those that were switched on before, which may leave nothing for it', async () => {
    const statusOf = async () => (await server.fetch(server.url)).status
    server.faults.status(503, { times: 1 })
    server.faults.status(429, { times: 1 })
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([503, 429, 405])
  })

  it('adds up with others: a refusal may take its time', async () => {
    server.faults.delay(1000)
    server.faults.status(500)
    const late = server.fetch(server.url)
    await server.advance(1000)
    expect((await late).status).toBe(500)
    server.faults.clear()
    expect((await server.fetch(server.url)).status).toBe(405)
  })
})

describe('the page of a test server', () => {
  it('goes offline and comes back', async () => {
    const call = work(3)
    await server.advance(500)
    await server.page.setOnline(false)
    await server.advance(5000)
    expect(call.getState().network).toBe('offline')
    expect(server.count('tasks/get')).toBe(0)
    await server.page.setOnline(true)
    await server.advance(1000)
    expect(call.getState().phase).toBe('completed')
  })

  it('is reloaded: closed, and opened again with what it had stored', async () => {
    client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'weekly' })
    await server.advance(1500)
    await server.page.close()
    const { environment } = server.browser.openPage()
    client = createTaskClient({ url: server.url, environment })
    const call = client.startToolCall({ name: 'work', arguments: { seconds: 5 } }, { key: 'weekly' })
    await server.advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'completed', result: { structuredContent: { seconds: 5 } } })
    expect(server.count('tools/call')).toBe(1)
  })

  it('has other tabs beside it, which share the polls', async () => {
    const start = (one: TaskClient) => one.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'weekly' })
    const other = createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
    const calls = [start(client), start(other)]
    await server.advance(5000)
    expect(calls.map((call) => call.getState().phase)).toEqual(['completed', 'completed'])
    expect(server.count('tools/call')).toBe(1)
    expect(server.times('tasks/get')).toEqual([1000, 2000, 3000])
  })

  it('crashes without taking the server with it', async () => {
    work(1)
    await server.advance(500)
    await server.page.crash()
    await server.advance(5000)
    const { environment } = server.browser.openPage()
    client = createTaskClient({ url: server.url, environment })
    const [call] = await client.resumeToolCalls()
    await server.advance(2000)
    expect(call?.getState().phase).toBe('completed')
  })
})

describe('a test server', () => {
  it('starts a test over, with the tasks it has', async () => {
    const call = work(2)
    server.faults.delay(200)
    await server.advance(500)
    server.faults.drop()
    server.reset()
    expect(server.requests).toEqual([])
    await server.advance(5000)
    expect(call.getState().phase).toBe('completed')
    expect(server.times('tasks/get')).toEqual([1400, 2400])
  })

  it('brings what a tool knows at once without waiting for a poll to fall due', async () => {
    const cached = defineTool({
      name: 'cached',
      inputSchema: z.object({}),
      taskSupport: 'required',
      handler: () => ({ content: [{ type: 'text', text: 'known' }] }),
    })
    server = createTestServer({ tools: [cached] })
    client = createTaskClient({ url: server.url, environment: server.environment })
    const call = client.startToolCall({ name: 'cached' })
    await server.advance(0)
    expect(call.getState()).toMatchObject({ phase: 'completed', task: { status: 'completed' } })
    expect(server.times('tasks/get')).toEqual([0])
  })

  it('pushes where that is asked for', async () => {
    server = createWorkServer({ push: true })
    client = createTaskClient({ url: server.url, environment: server.environment })
    const call = work(3)
    await server.advance(5000)
    expect(call.getState().phase).toBe('completed')
    expect(server.count('tasks/get')).toBe(0)
  })

  it('takes what a task server and a browser take', async () => {
    const now = Date.UTC(2030, 0, 1)
    server = createTestServer({
      tools: [scriptTask([{ status: 'working' }])],
      url: 'https://reports.example/mcp',
      serverInfo: { name: 'reports', version: '3' },
      pollIntervalMs: 4000,
      browser: { now },
    })
    client = createTaskClient({ url: server.url, environment: server.environment })
    const call = client.startToolCall({ name: 'report' })
    await server.advance(100)
    expect(client.store.getState().connection).toMatchObject({ server: { name: 'reports' } })
    expect(call.getState()).toMatchObject({ startedAt: now, task: { createdAt: '2030-01-01T00:00:00.000Z' } })
    await server.advance(10_000)
    expect(server.times('tasks/get')).toEqual([4000, 8000])
  })

  it('does not care about timers that the test runner fakes', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const call = work(3)
    await server.advance(5000)
    expect(call.getState().phase).toBe('completed')
    expect(server.times('tasks/get')).toEqual([1000, 2000, 3000])
  })

  it('answers nothing after close()', async () => {
    const call = work(60)
    await server.advance(1000)
    await server.close()
    await server.advance(1000)
    expect(call.getState()).toMatchObject({ network: 'retrying', lastError: { kind: 'http' } })
  })
})

it.each([Number.NaN, Number.POSITIVE_INFINITY])('a time of %s is refused, and no time passes', async (ms) => {
  const browser = createSimulatedBrowser()
  const before = browser.now()
  await expect(browser.advance(ms)).rejects.toThrow(TaskConfigurationError)
  expect(() => browser.sleep(ms)).toThrow('must be a finite number of ms')
  expect(() => browser.setClock(ms)).toThrow(TaskConfigurationError)
  expect(browser.now()).toBe(before)
})

it('a page that is reloaded while it is offline is offline', async () => {
  await server.page.setOnline(false)
  const next = await server.page.reload()
  expect(next.environment.isOnline()).toBe(false)
  const call = createTaskClient({ url: server.url, environment: next.environment }).startToolCall({
    name: 'work',
    arguments: { seconds: 1 },
  })
  await server.advance(1000)
  expect([call.getState().network, server.count('tools/call')]).toEqual(['offline', 0])
  await next.setOnline(true)
  await server.advance(5000)
  expect(call.getState().phase).toBe('completed')
})

it('a clock of the browser that is set leaves the clock of the server alone, and the times of its requests', async () => {
  work(3)
  await server.advance(500)
  server.browser.setClock(-3_600_000)
  await server.advance(5000)
  expect(server.times('tasks/get').at(-1)).toBe(3000)
  const { createdAt, lastUpdatedAt } = Object.values(client.store.getState().calls)[0]?.task ?? {}
  expect(Date.parse(String(lastUpdatedAt)) - Date.parse(String(createdAt))).toBeOneOf([3000, 3001])
})

it('browsers of one server with names of their own draw different ids: the call of one is no repeat of that of the other', async () => {
  const other = createSimulatedBrowser({ device: 'phone', fetch: (url, init) => server.fetch(url, init) })
  const { environment } = other.openPage()
  const elsewhere = createTaskClient({ url: server.url, environment })
  const here = work(1)
  const there = elsewhere.startToolCall({ name: 'work', arguments: { seconds: 2 } })
  for (let second = 0; second < 5; second++) await Promise.all([server.advance(1000), other.advance(1000)])
  expect([await here.result, await there.result]).toMatchObject([
    { structuredContent: { seconds: 1 } },
    { structuredContent: { seconds: 2 } },
  ])
})
