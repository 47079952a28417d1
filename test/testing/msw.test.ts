import { type HttpHandler, http } from 'msw'
import { type SetupServer, setupServer } from 'msw/node'
import type { TaskClient, TaskClientUrlOptions } from 'taskwire'
import { createTaskServer, defineTool } from 'taskwire/server'
import { createLiveServer, type ObservedServer, scriptTask, taskHandlers } from 'taskwire/testing'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createTaskClient } from '../support/anyClient.js'

const url = 'https://reports.example/mcp'
const result = { content: [{ type: 'text' as const, text: 'done' }] }
const report = scriptTask([{ status: 'working' }, { status: 'working' }, { status: 'completed', result }], {
  name: 'report',
})
const count = defineTool({
  name: 'count',
  taskSupport: 'optional',
  inputSchema: z.object({ to: z.number() }),
  handler: async ({ to }, { progress, sleep }) => {
    for (let step = 1; step <= to; step++) {
      await sleep(5)
      await progress(`${step}`)
    }
    return { content: [{ type: 'text', text: `counted to ${to}` }] }
  },
})

let network: SetupServer | undefined
afterEach(() => network?.close())

function intercept(handlers: HttpHandler[]): void {
  network = setupServer(...handlers)
  network.listen({ onUnhandledRequest: 'error' })
}

/** A client as an app creates it: it knows a URL and the `fetch` of the platform. */
function open(options: Partial<TaskClientUrlOptions> = {}): TaskClient {
  const client = createTaskClient({ url, poll: { minIntervalMs: 1 }, retry: { baseMs: 1, maxMs: 1 }, ...options })
  onTestFinished(() => client.close())
  return client
}

describe('taskHandlers', () => {
  it('serves the tools it is given', async () => {
    intercept(taskHandlers(url, { tools: [report, count], pollIntervalMs: 5 }, http))
    const client = open()
    await expect(client.callTool({ name: 'report' })).resolves.toEqual(result)
    await expect(client.callTool({ name: 'count', arguments: { to: 3 } })).resolves.toMatchObject({
      content: [{ text: 'counted to 3' }],
    })
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['count', 'report'])
  })

  it('serves a task server, its pushes included', async () => {
    const server = createTaskServer({
      serverInfo: { name: 'reports', version: '1.0.0' },
      tools: [count],
      // Only a push can be in time.
      pollIntervalMs: 600_000,
    })
    intercept(taskHandlers(url, server, http))
    onTestFinished(() => server.close())
    await expect(open().callTool({ name: 'count', arguments: { to: 3 } })).resolves.toMatchObject({
      content: [{ text: 'counted to 3' }],
    })
  })
})

it('taskHandlers says what is missing to who does not pass `http`', () => {
  const missing = undefined as unknown as typeof http
  expect(() => taskHandlers(url, { tools: [report] }, missing)).toThrow(
    'is not `http` of msw. Import it from "msw" and pass it.',
  )
})

describe('a test server over msw', () => {
  function serve(): ObservedServer {
    const server = createLiveServer({ tools: [report], pollIntervalMs: 5 })
    intercept(taskHandlers(url, server, http))
    return server
  }

  it('a dropped request is a network that fails', async () => {
    const server = serve()
    const problems: Error[] = []
    server.faults.drop({ method: 'tasks/get', times: 2 })
    const client = open({ onError: (error) => problems.push(error) })
    await expect(client.callTool({ name: 'report' })).resolves.toEqual(result)
    expect(problems).toMatchObject([{ kind: 'network' }, { kind: 'network' }])
    expect(server.count('tasks/get')).toBe(4)
  })

  it('a status is an HTTP status, and Retry-After can be read', async () => {
    const server = serve()
    const problems: Error[] = []
    server.faults.status(429, { method: 'tasks/get', retryAfter: 0, times: 1 })
    const client = open({ onError: (error) => problems.push(error) })
    await expect(client.callTool({ name: 'report' })).resolves.toEqual(result)
    expect(problems).toMatchObject([{ kind: 'http', retryAfterMs: 0 }])
  })

  it('a malformed response is told to the app, and the poll repeated', async () => {
    const server = serve()
    const problems: Error[] = []
    server.faults.malformed({ method: 'tasks/get', times: 1 })
    const client = open({ onError: (error) => problems.push(error) })
    await expect(client.callTool({ name: 'report' })).resolves.toEqual(result)
    expect(problems).toMatchObject([{ kind: 'malformed' }])
  })

  it('a response is delayed until the client gives up', async () => {
    const server = serve()
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call' })
    const client = open()
    const call = client.startToolCall({ name: 'report' })
    await expect.poll(() => server.count('tools/call')).toBe(1)
    await call.cancel()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
  })

  it('a script is pushed, and a stream that is cut is opened again', async () => {
    // Only a push can be in time.
    const server = createLiveServer({
      tools: [scriptTask([{ status: 'working' }])],
      pollIntervalMs: 600_000,
      push: true,
    })
    intercept(taskHandlers(url, server, http))
    const call = open().startToolCall({ name: 'report' })
    await expect.poll(() => server.count('subscriptions/listen')).toBe(1)
    await expect.poll(() => server.faults.cut()).toBe(1)
    await expect.poll(() => server.count('subscriptions/listen')).toBe(2)
    await call.cancel()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
    expect(server.count('tasks/get')).toBe(0)
  })

  it('the log is that of one test after reset()', async () => {
    const server = serve()
    server.faults.drop()
    server.reset()
    await open().callTool({ name: 'report' })
    expect(server.requests[0]?.method).toBe('server/discover')
    expect(server.count('tools/call', 'report')).toBe(1)
    expect(server.count('tasks/get')).toBe(2)
  })

  it('time is that of a test runner that fakes it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = createLiveServer({ tools: [report], pollIntervalMs: 60_000 })
    intercept(taskHandlers(url, server, http))
    const call = open().startToolCall({ name: 'report' })
    for (let second = 0; second < 150; second++) await vi.advanceTimersByTimeAsync(1000)
    expect(call.getState().phase).toBe('completed')
    expect(server.count('tasks/get')).toBe(2)
  })
})
