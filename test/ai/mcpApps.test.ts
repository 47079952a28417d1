import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { App } from '@modelcontextprotocol/ext-apps'
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { createTaskClient, type WithTasksOptions, withTasks } from 'taskwire'
import { createTestServer, scriptTask, type TestServer } from 'taskwire/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { followToolCalls } from '../../docs/examples/mcpAppsBridge.js'
import { simulateMachineTimers } from '../support/machineTimers.js'
import { resolved } from './until.js'

const RESULT = { content: [{ type: 'text' as const, text: '42 pieces' }], structuredContent: { pieces: 42 } }
const MINUTES = 60_000

let restore = () => {}
afterEach(() => restore())

/** A report that takes so long. */
function serve(afterMs: number): TestServer {
  const server = createTestServer({
    tools: [
      scriptTask(
        [
          { status: 'working', statusMessage: 'Collecting' },
          { status: 'completed', result: RESULT, afterMs },
        ],
        { name: 'report', pollIntervalMs: 5000 },
      ),
    ],
  })
  restore = simulateMachineTimers(server.environment)
  vi.stubGlobal('setInterval', (listener: () => void, ms: number) => {
    const interval = { timer: server.environment.setTimeout(tick, ms) }
    function tick() {
      interval.timer = server.environment.setTimeout(tick, ms)
      listener()
    }
    return interval
  })
  vi.stubGlobal('clearInterval', ({ timer }: { timer: unknown }) => server.environment.clearTimeout(timer))
  return server
}

/** A host that has an SDK client over `withTasks`, and a view of it, connected as over a frame. */
async function host(server: TestServer, options: WithTasksOptions = {}, maxRounds = 10) {
  const client = new Client(
    { name: 'host', version: '1' },
    { versionNegotiation: { mode: 'auto' }, inputRequired: { maxRounds } },
  )
  const { environment } = server
  const fetch = environment.fetch ?? server.fetch
  const transport = new StreamableHTTPClientTransport(new URL(server.url), { fetch })
  await resolved(server, client.connect(withTasks(transport, { environment, ...options })))
  const bridge = new AppBridge(client, { name: 'host', version: '1' }, { serverTools: {} })
  const [ofHost, ofView] = InMemoryTransport.createLinkedPair()
  await bridge.connect(ofHost)
  const view = new App({ name: 'view', version: '1' }, {}, { autoResize: false })
  await resolved(server, view.connect(ofView))
  return { client, bridge, view }
}

function track<T>(promise: Promise<T>) {
  const state: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => Object.assign(state, { value }),
    (error: unknown) => Object.assign(state, { error }),
  )
  return state
}

describe('a tool call of a view (MCP Apps)', () => {
  it('has the final result of a task, unchanged, over withTasks', async () => {
    const server = serve(5000)
    const { view } = await host(server)
    const call = track(view.callServerTool({ name: 'report', arguments: {} }))
    await server.advance(7000)
    expect(call.value).toEqual(RESULT)
    expect(server.count('tools/call')).toBe(1)
  })

  it('fails after a minute over withTasks alone: the bridge passes no timeout', async () => {
    const server = serve(5 * MINUTES)
    const { view } = await host(server)
    const call = track(view.callServerTool({ name: 'report', arguments: {} }))
    await server.advance(MINUTES + 2000)
    expect(String(call.error)).toMatch(/timed out/i)
  })

  it('outlives the minute with resetTimeoutAfterMs, where the view waits for longer', async () => {
    const server = serve(15 * MINUTES)
    const { view } = await host(server, { resetTimeoutAfterMs: 50_000 }, Number.POSITIVE_INFINITY)
    const call = track(view.callServerTool({ name: 'report', arguments: {} }, { timeout: 60 * MINUTES }))
    await server.advance(14 * MINUTES)
    expect(call).toEqual({})
    await server.advance(2 * MINUTES)
    expect(call.value).toEqual(RESULT)
    expect(server.count('tools/call')).toBe(1)
  })

  it('outlives it with a task client in the host, which tells the view that it goes on', async () => {
    const server = serve(15 * MINUTES)
    const { client, bridge, view } = await host(server)
    const tasks = createTaskClient({ client, endpoint: server.url, environment: server.environment })
    followToolCalls(bridge, tasks)
    const messages: unknown[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => messages.push(message)
    const call = track(view.callServerTool({ name: 'report', arguments: {} }, { onprogress }))
    await server.advance(14 * MINUTES)
    expect(call).toEqual({})
    expect(messages).toContain('Collecting')
    await server.advance(2 * MINUTES)
    expect(call.value).toEqual(RESULT)
    expect(server.count('tools/call')).toBe(1)
  })

  it('is detached from when the view gives it up: the task goes on', async () => {
    const server = serve(15 * MINUTES)
    const { client, bridge, view } = await host(server)
    const tasks = createTaskClient({ client, endpoint: server.url, environment: server.environment })
    followToolCalls(bridge, tasks)
    const abort = new AbortController()
    const call = track(view.callServerTool({ name: 'report', arguments: {} }, { signal: abort.signal }))
    await server.advance(5000)
    abort.abort()
    await server.advance(5000)
    expect(call.error).toBeInstanceOf(Error)
    expect(Object.values(tasks.store.getState().calls)).toMatchObject([{ phase: 'working' }])
    expect(server.count('tasks/cancel')).toBe(0)
  })
})
