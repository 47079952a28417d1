import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  completed,
  created,
  createScriptedServer,
  type Reply,
  result,
  rpcError,
  snapshot,
  stream,
  unreachable,
} from '../../../test/support/scriptedServer.js'
import {
  TaskCancelledError,
  TaskConfigurationError,
  TaskExpiredError,
  TaskFailedError,
  TaskInputRequiredError,
  TaskProtocolError,
} from '../../core/protocol/errors.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { INPUT_DEADLINE_MS } from './followUntilDone.js'
import { type WithTasksOptions, withTasks } from './withTasks.js'

const RESULT = { content: [{ type: 'text', text: 'done' }] }
const URL_ = new URL('https://tasks.example/mcp')
const question = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
}

/** The SDK's own client over `withTasks`, as any existing app would use it. */
async function connect(options: WithTasksOptions & { tools?: Record<string, unknown>[]; fetch?: 'legacy' } = {}) {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const server = createScriptedServer({ now: page.now, ...(options.tools && { tools: options.tools }) })
  if (options.fetch === 'legacy') serveLegacy(server.on)
  const client = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(URL_, { fetch: server.fetch })
  await client.connect(withTasks(transport, { environment: page.environment, ...options }))
  return { page, server, client, polls: () => server.times('tasks/get', start) }
}

function serveLegacy(on: (method: string, reply: Reply) => void): void {
  on('server/discover', rpcError(-32601, 'Method not found'))
  on(
    'initialize',
    result({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } }),
  )
}

/** The outcome of a promise that may still be under way. */
function track<T>(promise: Promise<T>) {
  const state: { value?: T; error?: unknown; done: boolean } = { done: false }
  promise.then(
    (value) => Object.assign(state, { value, done: true }),
    (error: unknown) => Object.assign(state, { error, done: true }),
  )
  return state
}

afterEach(() => {
  vi.useRealTimers()
})

describe('client.callTool() of an existing app', () => {
  it.each([
    ['JSON', (reply: Reply) => reply],
    ['streams', (reply: Reply) => stream(reply)],
  ])('returns the final result of a task, over %s', async (_, over) => {
    const { page, server, client, polls } = await connect()
    server.on('tools/call', over(created()))
    server.on('tasks/get', over(snapshot()), over(snapshot({ pollIntervalMs: 3000 })), over(completed()))
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(4999)
    expect(call.done).toBe(false)
    await page.advance(1)
    expect(call.value).toEqual(RESULT)
    expect(polls()).toEqual([1000, 2000, 5000])
    expect(server.received('tools/call')).toHaveLength(1)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('returns an immediate result as before', async () => {
    const { page, server, client } = await connect()
    server.on('tools/call', result(RESULT))
    await expect(client.callTool({ name: 'report' })).resolves.toEqual(RESULT)
    expect(page.pendingTimers()).toBe(0)
    expect(server.received('tasks/*')).toEqual([])
  })

  it('fetches at once what is born terminal', async () => {
    const { page, server, client, polls } = await connect()
    server.on('tools/call', created({ status: 'completed' }))
    server.on('tasks/get', completed())
    const call = track(client.callTool({ name: 'report' }))
    await page.settle()
    expect(polls()).toEqual([0])
    expect(call.value).toEqual(RESULT)
  })

  it('polls at the intervals that the options ask for, never below those of the server', async () => {
    const { page, server, client, polls } = await connect({ defaultIntervalMs: 400, minIntervalMs: 300 })
    server.on('tools/call', created({ pollIntervalMs: undefined }))
    server.on('tasks/get', snapshot({ pollIntervalMs: 10 }), snapshot({ pollIntervalMs: 2000 }), completed())
    void client.callTool({ name: 'report' })
    await page.advance(10_000)
    expect(polls()).toEqual([400, 700, 2700])
  })

  it('takes an option that is undefined for one that is not given', async () => {
    const { page, server, client, polls } = await connect({ defaultIntervalMs: undefined, minIntervalMs: undefined })
    server.on('tools/call', created({ pollIntervalMs: undefined }))
    server.on('tasks/get', snapshot({ pollIntervalMs: undefined }), snapshot({ pollIntervalMs: 1 }), completed())
    void client.callTool({ name: 'report' })
    await page.advance(10_000)
    expect(polls()).toEqual([1000, 2000, 2050])
  })

  it.each([Number.NaN, 0, -1, '500', null])('refuses an interval of %j', (interval) => {
    const transport = new StreamableHTTPClientTransport(URL_)
    for (const name of ['defaultIntervalMs', 'minIntervalMs']) {
      const wrap = () => withTasks(transport, { [name]: interval })
      expect(wrap).toThrow(TaskConfigurationError)
      expect(wrap).toThrow(`${name} is ${interval}; it must be a number above 0.`)
    }
  })

  it('has the SDK check the output of a task like any other', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const { page, server, client } = await connect({
      tools: [{ name: 'report', inputSchema: { type: 'object' }, outputSchema }],
    })
    await client.listTools()
    server.on('tools/call', created())
    const output = (structuredContent: unknown): Reply => completed({ result: { ...RESULT, structuredContent } })
    server.on('tasks/get', output({ n: 1 }), output({ n: 'one' }))

    const good = track(client.callTool({ name: 'report' }))
    await page.advance(1000)
    expect(good.value).toMatchObject({ structuredContent: { n: 1 } })

    const bad = track(client.callTool({ name: 'report' }))
    await page.advance(1000)
    expect(String(bad.error)).toMatch(/output schema/)
  })

  it('returns a result with isError, and throws nothing', async () => {
    const { page, server, client } = await connect()
    server.on('tools/call', created())
    server.on('tasks/get', completed({ result: { ...RESULT, isError: true } }))
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(1000)
    expect(call.value).toEqual({ ...RESULT, isError: true })
  })

  it.each([
    ['failed', snapshot({ status: 'failed', error: { code: -32050, message: 'Out of paper' } }), TaskFailedError],
    ['cancelled', snapshot({ status: 'cancelled' }), TaskCancelledError],
    ['forgotten', rpcError(-32602, 'Unknown task'), TaskExpiredError],
    [
      'in need of input',
      snapshot({ status: 'input_required', inputRequests: { q1: question } }),
      TaskInputRequiredError,
    ],
    ['something that nobody knows', snapshot({ status: 'dancing' }), TaskProtocolError],
  ])('rejects with a typed error where the task is %s', async (_, reply, type) => {
    const { page, server, client } = await connect()
    server.on('tools/call', created())
    server.on('tasks/get', reply)
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(60_000)
    expect(call.error).toBeInstanceOf(type)
    expect((call.error as Error).message).not.toContain('task-secret-1')
    expect(page.pendingTimers()).toBe(0)
  })

  it('survives a network that comes and goes', async () => {
    const { page, server, client } = await connect()
    server.on('tools/call', created())
    server.on('tasks/get', unreachable, unreachable, snapshot(), unreachable, completed())
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(60_000)
    expect(call.value).toEqual(RESULT)
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('tells each status to onprogress', async () => {
    const { page, server, client } = await connect()
    server.on('tools/call', created())
    server.on('tasks/get', snapshot({ statusMessage: 'Half way' }), snapshot({ statusMessage: 'Nearly' }), completed())
    const received: unknown[] = []
    void client.callTool({ name: 'report' }, { onprogress: (progress) => received.push(progress) })
    await page.advance(10_000)
    expect(received).toEqual([
      { progress: 1, message: 'Half way' },
      { progress: 2, message: 'Nearly' },
    ])
  })

  it('never tells onprogress of less than before, and counts on where the server does not', async () => {
    const { page, server, client } = await connect()
    const counted = (progress: number): Reply =>
      snapshot({ status: 'working', pollIntervalMs: 100, _meta: { 'dev.taskwire/progress': { progress } } })
    const silent = snapshot({ status: 'working', pollIntervalMs: 100 })
    server.on('tools/call', created({ pollIntervalMs: 100 }))
    server.on('tasks/get', silent, counted(5), counted(4), silent, counted(6), silent)
    const received: number[] = []
    void client.callTool({ name: 'report' }, { onprogress: ({ progress }) => received.push(progress) })
    await page.advance(700)
    expect(received).toEqual([1, 5, 5, 5, 6, 6, 6])
  })

  it('leaves progress of 2025-11-25, and that of a request of 2026-07-28 that is no task, to the SDK', async () => {
    for (const era of ['legacy', undefined] as const) {
      const { page, server, client } = await connect(era && { fetch: era })
      server.on('tools/call', ({ id, params }) => {
        const { progressToken } = params['_meta'] as { progressToken?: unknown }
        const notification = {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: 7 },
        }
        const response = {
          jsonrpc: '2.0',
          id,
          result: { ...RESULT, ...(era === undefined && { resultType: 'complete' }) },
        }
        const body = [notification, response].map((message) => `data: ${JSON.stringify(message)}\n\n`).join('')
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      })
      const received: unknown[] = []
      const call = client.callTool({ name: 'plain' }, { onprogress: (progress) => received.push(progress) })
      await page.settle()
      await expect(call).resolves.toMatchObject(RESULT)
      expect(received).toEqual([{ progress: 7 }])
    }
  })

  it('tells the numbers of the server to onprogress, where it gives any', async () => {
    const { page, server, client } = await connect()
    const counted = (progress: number) => ({
      statusMessage: 'Asia (… of 10)',
      _meta: { 'dev.taskwire/progress': { progress, total: 10, message: 'Asia' } },
    })
    server.on('tools/call', created())
    server.on('tasks/get', snapshot(counted(3)), snapshot(counted(9)), completed())
    const received: unknown[] = []
    void client.callTool({ name: 'report' }, { onprogress: (progress) => received.push(progress) })
    await page.advance(10_000)
    expect(received).toEqual([
      { progress: 3, total: 10, message: 'Asia' },
      { progress: 9, total: 10, message: 'Asia' },
    ])
  })

  it('tells what the server gets wrong to onIssue', async () => {
    const issues: string[] = []
    const { page, server, client } = await connect({ onIssue: ({ violation }) => issues.push(violation) })
    server.on('tools/call', created({ ttlMs: 'soon' }))
    server.on('tasks/get', completed({ pollIntervalMs: '5' }))
    void client.callTool({ name: 'report' })
    await page.advance(1000)
    expect(issues).toEqual(['ttlMs is "soon"; taken as unlimited', 'pollIntervalMs is "5"; ignored'])
  })
})

describe('giving up', () => {
  it('by signal stops the polling and sends nothing', async () => {
    const { page, server, client } = await connect()
    server.on('tools/call', created())
    server.on('tasks/get', snapshot())
    const abort = new AbortController()
    const call = track(client.callTool({ name: 'report' }, { signal: abort.signal }))
    await page.advance(2500)
    const sent = server.requests.length
    abort.abort()
    await page.advance(60_000)
    expect(call.done).toBe(true)
    expect(server.requests).toHaveLength(sent)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('by the timeout of the SDK, too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { page, server, client } = await connect()
    server.on('tools/call', created())
    server.on('tasks/get', snapshot())
    const call = track(client.callTool({ name: 'report' }, { timeout: 5000 }))
    await page.advance(3000)
    await vi.advanceTimersByTimeAsync(5000)
    expect(call.error).toMatchObject({ code: 'REQUEST_TIMEOUT' })
    const sent = server.requests.length
    await page.advance(60_000)
    expect(server.requests).toHaveLength(sent)
    expect(page.pendingTimers()).toBe(0)
  })

  it('by closing the client stops the polling for good', async () => {
    const { page, server, client } = await connect()
    server.on('tools/call', created())
    server.on('tasks/get', snapshot())
    const call = track(client.callTool({ name: 'report' }))
    await page.advance(1500)
    await client.close()
    await page.settle()
    expect(call.error).toMatchObject({ code: 'CONNECTION_CLOSED' })
    await page.advance(60_000)
    expect(server.received('tasks/get')).toHaveLength(1)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })
})

describe('an input request of a task', () => {
  /** A client whose handler does what the test says, with a task that asks. */
  async function ask(handler: (signal: AbortSignal) => Promise<{ action: 'accept'; content: { name: string } }>) {
    const page = createSimulatedEnvironment()
    const server = createScriptedServer({ now: page.now })
    server.on('tools/call', created())
    server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { q1: question } }))
    server.on('tasks/update', result({}))
    const client = new Client(
      { name: 'app', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
    )
    client.setRequestHandler('elicitation/create', (_, { mcpReq }) => handler(mcpReq.signal))
    const transport = new StreamableHTTPClientTransport(URL_, { fetch: server.fetch })
    await client.connect(withTasks(transport, { environment: page.environment }))
    const abort = new AbortController()
    const call = track(client.callTool({ name: 'report' }, { signal: abort.signal }))
    await page.advance(1000)
    return { page, server, client, call, abort }
  }
  const never = () => new Promise<never>(() => {})
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })

  it.each([
    ['the handler throws', () => Promise.reject(new Error('No form here')), () => {}],
    ['the app aborts the call', untilAborted, (abort: AbortController) => abort.abort()],
  ])('where %s, is given up after a while, and the polling with it', async (_, handler, act) => {
    const { page, server, call, abort } = await ask(handler)
    act(abort)
    await page.settle()
    expect(call.error).toBeInstanceOf(Error)
    await page.advance(INPUT_DEADLINE_MS)
    const polls = server.received('tasks/get').length
    await page.advance(60_000)
    expect(server.received('tasks/get')).toHaveLength(polls)
    expect(server.received('tools/call')).toHaveLength(1)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('answered too late rejects the call, and calls no tool again', async () => {
    let answer: (given: { action: 'accept'; content: { name: string } }) => void = () => {}
    const { page, server, call } = await ask(
      () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    )
    await page.advance(INPUT_DEADLINE_MS - 1)
    expect(call.done).toBe(false)
    await page.advance(1)
    answer({ action: 'accept', content: { name: 'Ann' } })
    await page.settle()
    expect(call.error).toBeInstanceOf(TaskInputRequiredError)
    expect(server.received('tools/call')).toHaveLength(1)
    expect(server.received('tasks/update')).toEqual([])
  })

  it('answered in time leaves nothing behind', async () => {
    const { page, server, call } = await ask(() => Promise.resolve({ action: 'accept', content: { name: 'Ann' } }))
    server.on('tasks/get', completed())
    await page.advance(5000)
    expect(call.value).toEqual(RESULT)
    expect(page.pendingTimers()).toBe(0)
  })

  it('ends with the connection, and the polling at once', async () => {
    const { page, server, client } = await ask(never)
    await client.close()
    await page.settle()
    const polls = server.received('tasks/get').length
    await page.advance(60_000)
    expect(server.received('tasks/get')).toHaveLength(polls)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })
})

describe('a server of the legacy era', () => {
  it('is talked to as if withTasks were not there', async () => {
    const { server, client } = await connect({ fetch: 'legacy' })
    server.on('tools/call', result(RESULT))
    await expect(client.callTool({ name: 'report', arguments: { n: 1 } })).resolves.toMatchObject(RESULT)
    const [call] = server.received('tools/call')
    expect(call?.body).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'tools/call',
      params: { name: 'report', arguments: { n: 1 } },
    })
    expect(call?.headers.get('mcp-method')).toBeNull()
  })
})
