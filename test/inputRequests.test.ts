import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  type InputHandlers,
  type InputRequest,
  type TaskClient,
  type TaskClientUrlOptions,
  TaskInputError,
  TaskInputRequiredError,
  TaskProtocolError,
  TaskStuckError,
  withTasks,
} from 'taskwire'
import { createSimulatedEnvironment, type SimulatedEnvironment, type TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  http,
  result,
  rpcError,
  type ScriptedServer,
  snapshot,
  unreachable,
} from './support/scriptedServer.js'
import { createWorkServer } from './support/workServer.js'

let page: SimulatedEnvironment
let server: ScriptedServer
let client: TaskClient
const onError = vi.fn()

const FORM = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  },
})
const YES = { action: 'accept', content: { ok: true } }
const asking = (inputRequests: Record<string, unknown>) => snapshot({ status: 'input_required', inputRequests })

function open(options: Partial<TaskClientUrlOptions> = {}): TaskClient {
  return createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    onError,
    ...options,
  })
}

beforeEach(() => {
  onError.mockClear()
  page = createSimulatedEnvironment()
  server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/update', ack)
  server.on('tasks/cancel', ack)
  client = open()
})

const circle: Record<string, unknown> = {}
circle['self'] = circle
const NO_JSON = [
  ['a BigInt', 1n],
  ['a circle', circle],
] as const

const updates = () => server.received('tasks/update').map(({ params }) => params['inputResponses'])

describe('an input request without a handler', () => {
  it('waits, and polling goes on while somebody thinks it over', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(200_000)
    expect(call.getState()).toMatchObject({
      phase: 'input_required',
      inputRequests: { a: { params: { message: 'Sure?' } } },
    })
    expect(server.received('tasks/get')).toHaveLength(200)
    expect(updates()).toEqual([])
  })

  // [TASK-INPUT-DEDUPE] [TASK-INPUT-ONCE]
  it('is answered once, listed until the server has taken the response, and never asked again although the server still shows it', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    const answer = call.respond('a', YES)
    expect(call.getState()).toMatchObject({ inputRequests: { a: {} }, inputResponses: { a: { status: 'sending' } } })
    await answer
    expect(call.getState().inputRequests).toEqual({})
    expect(call.getState().inputResponses).toEqual({})
    await page.advance(5000)
    expect(call.getState().inputRequests).toEqual({})
    expect(updates()).toEqual([{ a: YES }])
  })

  it('does not poll early because of a response', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }), completed())
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1500)
    await call.respond('a', YES)
    await page.advance(499)
    expect(server.received('tasks/get')).toHaveLength(1)
    await page.advance(1)
    await expect(call.result).resolves.toBeDefined()
  })

  it('can be answered in part', async () => {
    server.on('tasks/get', asking({ a: FORM('A?'), b: FORM('B?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await call.respond('b', YES)
    await page.advance(2000)
    expect(Object.keys(call.getState().inputRequests)).toEqual(['a'])
    await call.respond('a', { action: 'decline' })
    expect(updates()).toEqual([{ b: YES }, { a: { action: 'decline' } }])
  })

  it.each([
    ['a content that does not fit', { action: 'accept', content: { ok: 'yes' } }],
    ['a content that is missing', { action: 'accept' }],
    ['an action that is none', { action: 'maybe' }],
    ['nothing', null],
  ])('with %s is refused before it is sent, and stays open', async (_, response) => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await expect(call.respond('a', response as never)).rejects.toThrow(TaskInputError)
    expect(Object.keys(call.getState().inputRequests)).toEqual(['a'])
    expect(updates()).toEqual([])
  })

  // [TASK-INPUT-ONCE] [TASK-INPUT-OUTSTANDING]
  it('an equal response joins the first while that is on its way, another one is refused, and each is afterwards', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    const both = Promise.all([call.respond('a', YES), call.respond('a', { ...YES })])
    await expect(call.respond('a', { action: 'decline' })).rejects.toThrow('is being sent')
    await both
    await expect(call.respond('a', YES)).rejects.toThrow('cannot be changed')
    expect(updates()).toEqual([{ a: YES }])
  })

  it('a response that cannot get through is repeated, the same one, until it does', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    server.on('tasks/update', unreachable, http(503), rpcError(-32603, 'Internal error'), ack)
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    const answer = call.respond('a', YES)
    await page.advance(20_000)
    await answer
    expect(updates()).toEqual([{ a: YES }, { a: YES }, { a: YES }, { a: YES }])
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ name: 'TaskRequestError' }), {
      callId: call.callId,
      operation: 'respond',
    })
    expect(call.getState().inputRequests).toEqual({})
  })

  it('a response is sent as it was given, whatever the app does with its object afterwards', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    page.setOnline(false)
    const response = { action: 'accept', content: { ok: true } }
    const answer = call.respond('a', response)
    response.action = 'decline'
    response.content.ok = false
    page.setOnline(true)
    await page.advance(1000)
    await answer
    expect(updates()).toEqual([{ a: YES }])
  })

  it.each(NO_JSON)('a response with %s is refused, and the input request is open again', async (_, extra) => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await expect(call.respond('a', { ...YES, extra })).rejects.toThrow('it is not a JSON object')
    expect(Object.keys(call.getState().inputRequests)).toEqual(['a'])
    await call.respond('a', YES)
    expect(updates()).toEqual([{ a: YES }])
  })

  it('a response that the server refuses is reported, and the input request is open again', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    server.on('tasks/update', rpcError(-32602, 'Not like this'), ack)
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await expect(call.respond('a', YES)).rejects.toMatchObject({ name: 'TaskRequestError', code: -32602 })
    expect(Object.keys(call.getState().inputRequests)).toEqual(['a'])
    await call.respond('a', YES)
    expect(updates()).toEqual([{ a: YES }, { a: YES }])
  })

  // [TASK-INPUT-OUTSTANDING]
  it('withdrawn by the server disappears', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }), snapshot())
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    expect(Object.keys(call.getState().inputRequests)).toEqual(['a'])
    await page.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'working' })
    expect(call.getState().inputRequests).toEqual({})
    await expect(call.respond('a', YES)).rejects.toThrow('withdrawn')
  })

  it('that changes under its key breaks the protocol', async () => {
    server.on('tasks/get', asking({ a: FORM('Delete one file?') }), asking({ a: FORM('Delete everything?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(3000)
    await expect(call.result).rejects.toThrow(TaskProtocolError)
    expect(updates()).toEqual([])
  })

  it("fails the call with missingInput: 'error'", async () => {
    client = open({ input: { missing: 'error' } })
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await expect(call.result).rejects.toThrow(TaskInputRequiredError)
  })

  // [TASK-INPUT-ONCE]
  it('[DUR-37] answered before a reload is not asked after it', async () => {
    server.on('tasks/get', asking({ a: FORM('A?'), b: FORM('B?') }))
    const first = client.startToolCall({ name: 'deploy' }, { key: 'k' })
    await page.advance(1000)
    await first.respond('a', YES)
    await client.close()
    client = open()
    const second = client.startToolCall({ name: 'deploy' }, { key: 'k' })
    await page.advance(2000)
    expect(Object.keys(second.getState().inputRequests)).toEqual(['b'])
  })
})

describe('a handler', () => {
  const withHandler = (elicitation: NonNullable<InputHandlers['elicitation']>) =>
    open({ input: { handlers: { elicitation } } })

  // [TASK-INPUT-FULFIL]
  it('is asked once per key, all at once, with what the input request is about', async () => {
    const elicitation = vi.fn(async () => YES)
    client = withHandler(elicitation)
    server.on('tasks/get', asking({ a: FORM('A?'), b: FORM('B?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(5000)
    expect(elicitation).toHaveBeenCalledTimes(2)
    expect(elicitation).toHaveBeenCalledWith(FORM('A?'), {
      taskId: 'task-secret-1',
      callId: call.callId,
      inputKey: 'a',
      signal: expect.any(AbortSignal),
    })
    expect(updates()).toEqual([{ a: YES }, { b: YES }])
    expect(call.getState().inputRequests).toEqual({})
  })

  it.each([
    [
      'sampling',
      { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } },
      { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } },
    ],
    ['roots', { method: 'roots/list' }, { roots: [] }],
  ] as const)(
    'for %s answers its own kind of input request, and the capability is declared',
    async (name, request, answer) => {
      client = open({ input: { handlers: { [name]: async () => answer } } })
      server.on('tasks/get', asking({ a: request }))
      client.startToolCall({ name: 'deploy' })
      await page.advance(2000)
      expect(updates()).toEqual([{ a: answer }])
      const meta = server.received('tools/call')[0]?.params['_meta'] as Record<string, unknown>
      expect(meta['io.modelcontextprotocol/clientCapabilities']).toMatchObject({
        elicitation: { form: {}, url: {} },
        [name]: {},
      })
    },
  )

  it('that throws leaves the input request to the user', async () => {
    client = withHandler(async () => {
      throw new Error('a bug of the app')
    })
    server.on('tasks/get', asking({ a: FORM('A?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(3000)
    expect(Object.keys(call.getState().inputRequests)).toEqual(['a'])
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: 'a bug of the app' }), expect.anything())
    await call.respond('a', YES)
    expect(updates()).toEqual([{ a: YES }])
  })

  it.each(NO_JSON)('that returns %s leaves the input request to the user', async (_, extra) => {
    client = withHandler(async () => ({ ...YES, extra }))
    server.on('tasks/get', asking({ a: FORM('A?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(3000)
    expect(Object.keys(call.getState().inputRequests)).toEqual(['a'])
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ name: 'TaskInputError' }), expect.anything())
  })

  it('sees its signal abort when the input request is withdrawn, and when the task has ended', async () => {
    const signals: AbortSignal[] = []
    client = withHandler((_, { signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    server.on('tasks/get', asking({ a: FORM('A?'), b: FORM('B?') }), asking({ b: FORM('B?') }), completed())
    client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    await page.advance(1000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    await page.advance(1000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })
})

describe('a task that is stuck', () => {
  it('is cancelled and fails after 60 polls in which nothing is left to answer', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(30_000)
    await call.respond('a', YES)
    await page.advance(59_000)
    expect(call.getState().phase).toBe('input_required')
    await page.advance(1000)
    await expect(call.result).rejects.toThrow(TaskStuckError)
    expect(server.received('tasks/cancel')).toHaveLength(1)
    await page.advance(60_000)
    expect(server.received('tasks/get')).toHaveLength(90)
  })

  it('may be given another number of polls', async () => {
    client = open({ input: { stuckAfterPolls: 3 } })
    server.on('tasks/get', asking({}))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(3000)
    await expect(call.result).rejects.toThrow(TaskStuckError)
  })

  it('is not stuck while a response is on its way', async () => {
    client = open({ input: { stuckAfterPolls: 3 } })
    server.on('tasks/get', asking({ a: FORM('Sure?') }))
    server.on('tasks/update', unreachable)
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    call.respond('a', YES).catch(() => {})
    await page.advance(20_000)
    expect(call.getState().phase).toBe('input_required')
  })
})

describe('cancel()', () => {
  it('that the server refuses is reported, and can be repeated', async () => {
    server.on('tasks/get', snapshot())
    server.on('tasks/cancel', rpcError(-32000, 'Not now'), ack)
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await expect(call.cancel()).rejects.toMatchObject({ name: 'TaskRequestError' })
    expect(call.getState()).toMatchObject({
      isCancelling: false,
      phase: 'working',
      lastError: { name: 'TaskRequestError' },
    })
    await call.cancel()
    expect(call.getState()).toMatchObject({ isCancelling: true })
    expect(server.received('tasks/cancel')).toHaveLength(2)
    expect(server.received('notifications/cancelled')).toEqual([])
  })

  it('of a task that completes anyway resolves with its result', async () => {
    server.on('tasks/get', snapshot(), completed())
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1500)
    await call.cancel()
    await page.advance(1000)
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
    expect(call.getState()).toMatchObject({ phase: 'completed', isCancelling: false })
  })
})

describe('onToolCallSettled', () => {
  it('calls a function that was given twice until each subscription has ended', async () => {
    server.on('tools/call', result({ content: [] }))
    const settled = vi.fn()
    const [first, second] = [client.onToolCallSettled(settled), client.onToolCallSettled(settled)]
    first()
    await client.callTool({ name: 'deploy' })
    expect(settled).toHaveBeenCalledTimes(1)
    second()
    await client.callTool({ name: 'deploy' })
    expect(settled).toHaveBeenCalledTimes(1)
  })

  it('calls its listener with every call that ends, also with one that nothing observes', async () => {
    server.on('tasks/get', completed())
    const settled = vi.fn()
    const stop = client.onToolCallSettled(settled)
    client.startToolCall({ name: 'deploy' }).detach()
    await page.advance(1000)
    expect(settled).toHaveBeenCalledTimes(1)
    expect(settled).toHaveBeenCalledWith(expect.objectContaining({ name: 'deploy', phase: 'completed' }))
    stop()
    client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    expect(settled).toHaveBeenCalledTimes(1)
  })
})

it('a response that is given offline, before there is a task, goes out once there is a network', async () => {
  const asks = result({ resultType: 'input_required', inputRequests: { early: FORM('Really?') }, requestState: 's' })
  server.on('tools/call', asks, result({ content: [{ type: 'text', text: 'done' }] }))
  const fetch: typeof server.fetch = (url, init) =>
    page.environment.isOnline() ? server.fetch(url, init) : Promise.reject(new TypeError('Failed to fetch'))
  client = open({ transportOptions: { fetch } })
  const call = client.startToolCall({ name: 'deploy' })
  await page.advance(1000)
  await page.setOnline(false)
  const responding = call.respond('early', YES)
  await page.advance(60_000)
  expect(call.getState()).toMatchObject({
    phase: 'input_required',
    inputResponses: { early: { status: 'sending' } },
  })
  await page.setOnline(true)
  await page.advance(1000)
  await responding
  await expect(call.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
  expect(server.received('tools/call')[1]?.params).toMatchObject({ inputResponses: { early: YES }, requestState: 's' })
})

describe('with a real server', () => {
  let memory: TestServer

  beforeEach(() => {
    memory = createWorkServer()
    client = createTaskClient({ url: memory.url, environment: memory.environment })
  })

  it('two input requests at once are answered one by one', async () => {
    const call = client.startToolCall({ name: 'ask', arguments: { questions: ['A?', 'B?'] } })
    await memory.advance(1000)
    const [first, second] = Object.keys(call.getState().inputRequests)
    await call.respond(first ?? '', YES)
    await memory.advance(1000)
    expect(call.getState().phase).toBe('input_required')
    await call.respond(second ?? '', { action: 'decline' })
    await memory.advance(1000)
    await expect(call.result).resolves.toMatchObject({
      content: [{ text: JSON.stringify([YES, { action: 'decline' }]) }],
    })
  })

  it('an input request that comes before the task is shown and answered the same way', async () => {
    const call = client.startToolCall({ name: 'ask_early', arguments: { message: 'Really?' } })
    await memory.advance(0)
    expect(call.getState()).toMatchObject({
      phase: 'input_required',
      inputRequests: { early: { params: { message: 'Really?' } } },
    })
    expect(call.getState().task).toBeUndefined()
    await call.respond('early', YES)
    await memory.advance(0)
    expect(call.getState()).toMatchObject({ phase: 'completed' })
    expect(call.getState().inputRequests).toEqual({})
    await expect(call.result).resolves.toMatchObject({ content: [{ text: JSON.stringify(YES) }] })
    expect(memory.count('tools/call')).toBe(2)
  })

  it("an input request that comes before the task fails the call with missingInput: 'error'", async () => {
    client = createTaskClient({ url: memory.url, environment: memory.environment, input: { missing: 'error' } })
    const call = client.startToolCall({ name: 'ask_early', arguments: { message: 'Really?' } })
    call.result.catch(() => {})
    await memory.advance(0)
    await expect(call.result).rejects.toThrow(TaskInputRequiredError)
  })

  it('two calls that ask at the same time are told apart', async () => {
    const ask = (message: string) => client.startToolCall({ name: 'ask_early', arguments: { message } })
    const calls = [ask('One?'), ask('Two?')]
    await memory.advance(0)
    expect(calls.map((call) => call.getState().inputRequests['early'])).toMatchObject([
      { params: { message: 'One?' } },
      { params: { message: 'Two?' } },
    ])
    await calls[1]?.respond('early', { action: 'decline' })
    await calls[0]?.respond('early', YES)
    await memory.advance(2000)
    await expect(calls[0]?.result).resolves.toMatchObject({ content: [{ text: JSON.stringify(YES) }] })
    await expect(calls[1]?.result).resolves.toMatchObject({ content: [{ text: '{"action":"decline"}' }] })
  })
})

describe('in several tabs', () => {
  function openTabs(options: Partial<TaskClientUrlOptions> = {}) {
    const shared = createWorkServer()
    const openTab = () => {
      const tab = shared.browser.openPage()
      return { tab, client: createTaskClient({ url: shared.url, environment: tab.environment, ...options }) }
    }
    return { ...shared, openTab }
  }
  const ASK = { name: 'ask', arguments: { questions: ['Sure?'] } }

  it('what tab A asked is answered in tab B, and gone in A', async () => {
    const { browser, openTab, count } = openTabs()
    const [a, b] = [openTab(), openTab()]
    const inA = a.client.startToolCall(ASK, { key: 'k' })
    await browser.advance(100)
    const inB = b.client.startToolCall(ASK, { key: 'k' })
    await browser.advance(1000)
    const [key = ''] = Object.keys(inB.getState().inputRequests)
    expect(Object.keys(inA.getState().inputRequests)).toEqual([key])
    await Promise.all([inB.respond(key, YES), browser.advance(200)])
    expect(inA.getState().inputRequests).toEqual({})
    await browser.advance(2000)
    await expect(inA.result).resolves.toBeDefined()
    expect(count('tasks/update')).toBe(1)
  })

  it('the same response given in both at once is sent once, and the other tab is told that it was answered', async () => {
    const { browser, openTab, count } = openTabs()
    const calls = [openTab(), openTab()].map((tab) => tab.client.startToolCall(ASK, { key: 'k' }))
    await browser.advance(1200)
    const [key = ''] = Object.keys(calls[0]?.getState().inputRequests ?? {})
    const responses = Promise.allSettled(calls.map((call) => call.respond(key, YES)))
    await Promise.all([responses, browser.advance(500)])
    expect((await responses).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(count('tasks/update')).toBe(1)
  })

  it('a handler that every tab has is asked in one of them', async () => {
    const elicitation = vi.fn(async () => YES)
    const { browser, openTab, count } = openTabs({ input: { handlers: { elicitation } } })
    const calls = [openTab(), openTab(), openTab()].map((tab) => tab.client.startToolCall(ASK, { key: 'k' }))
    await browser.advance(4000)
    for (const call of calls) expect(call.getState().phase).toBe('completed')
    expect(elicitation).toHaveBeenCalledTimes(1)
    expect(count('tasks/update')).toBe(1)
  })

  it('an input request open in a tab that crashes is answered in one opened later', async () => {
    const { browser, openTab, count } = openTabs()
    const a = openTab()
    a.client.startToolCall(ASK, { key: 'k' })
    await browser.advance(1500)
    await a.tab.crash()
    const call = openTab().client.startToolCall(ASK, { key: 'k' })
    await browser.advance(3000)
    const [key = ''] = Object.keys(call.getState().inputRequests)
    await Promise.all([call.respond(key, YES), browser.advance(200)])
    await browser.advance(2000)
    await expect(call.result).resolves.toBeDefined()
    expect(count('tools/call')).toBe(1)
  })
})

describe('under withTasks alone', () => {
  const connect = async (capabilities: NonNullable<ClientOptions['capabilities']>) => {
    const memory = createWorkServer()
    const sdk = new Client({ name: 'app', version: '1.0.0' }, { capabilities, versionNegotiation: { mode: 'auto' } })
    const http = new StreamableHTTPClientTransport(new URL(memory.url), { fetch: memory.fetch })
    await sdk.connect(withTasks(http, { environment: memory.environment }))
    return { sdk, memory }
  }

  it('the input requests of a task reach the handlers of the client', async () => {
    const { sdk, memory } = await connect({ elicitation: { form: {} } })
    const asked: string[] = []
    sdk.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { ok: true } }
    })
    const result = sdk.callTool({ name: 'ask', arguments: { questions: ['A?', 'B?'] } })
    await memory.advance(5000)
    await expect(result).resolves.toMatchObject({ content: [{ text: JSON.stringify([YES, YES]) }] })
    expect(asked).toEqual(['A?', 'B?'])
    expect(memory.count('tools/call')).toBe(1)
  })

  /** An SDK client whose handler of input requests answers when `decline` is called. */
  async function connectThinking() {
    const sdk = new Client(
      { name: 'app', version: '1' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
    )
    const http = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: server.fetch })
    await sdk.connect(withTasks(http, { environment: page.environment }))
    let answer = (_: { action: 'decline' }) => {}
    sdk.setRequestHandler(
      'elicitation/create',
      () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    )
    return { sdk, decline: () => answer({ action: 'decline' }) }
  }

  it('the polling goes on while a handler thinks, and a task that ends meanwhile delivers its result', async () => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }), snapshot(), completed())
    const { sdk, decline } = await connectThinking()
    const result = sdk.callTool({ name: 'deploy' })
    await page.advance(5000)
    expect(server.received('tasks/get')).toHaveLength(3)
    decline()
    await page.advance(0)
    await expect(result).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  it.each([
    ['goes on where the task does not ask any longer, for it was answered elsewhere', snapshot(), 'done'],
    ['ends with the refusal where the task still asks', asking({ a: FORM('Sure?') }), /Not like this/],
  ])('a call whose response the server refuses %s', async (_, meanwhile, outcome) => {
    server.on('tasks/get', asking({ a: FORM('Sure?') }), meanwhile, meanwhile, completed())
    server.on('tasks/update', rpcError(-32602, 'Not like this'))
    const { sdk, decline } = await connectThinking()
    const call = sdk.callTool({ name: 'deploy' }).then(
      ({ content }) => String((content[0] as { text: string }).text),
      (error: Error) => error.message,
    )
    await page.advance(2500)
    decline()
    await page.advance(5000)
    await expect(call).resolves.toMatch(outcome)
  })

  it('a client without a handler declares nothing, and the server fails the call instead of asking', async () => {
    const { sdk, memory } = await connect({})
    const result = sdk.callTool({ name: 'ask', arguments: { questions: ['A?'] } })
    result.catch(() => {})
    await memory.advance(2000)
    await expect(result).rejects.toMatchObject({ name: 'TaskFailedError', code: -32021 })
  })
})
