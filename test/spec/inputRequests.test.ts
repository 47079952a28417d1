import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  type InputHandlers,
  type TaskClient,
  type TaskClientUrlOptions,
  TaskInputError,
  TaskProtocolError,
  withTasks,
} from 'taskwire'
import { createSimulatedEnvironment, type SimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  type Reply,
  result,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'

let page: SimulatedEnvironment
let server: ScriptedServer

const open = (options: Partial<TaskClientUrlOptions> = {}): TaskClient =>
  createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    ...options,
  })

beforeEach(() => {
  page = createSimulatedEnvironment()
  server = createScriptedServer({ now: page.now })
  server.on('tasks/update', ack)
})

const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
const FORM = { method: 'elicitation/create', params: { mode: 'form', message: 'Sure?', requestedSchema } }
const URL_INPUT_REQUEST = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign.', url: 'https://pay.example/' },
}
const SAMPLING = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } }
const ROOTS = { method: 'roots/list' }
const YES = { action: 'accept', content: { ok: true } }

/** The two ways in which a server asks: a task, and a multi round-trip before there is one. */
const WAYS = {
  'in a task': {
    ask: (inputRequests: object) => {
      server.on('tools/call', created())
      const asking = snapshot({ status: 'input_required', inputRequests })
      server.on('tasks/get', (request) => (server.received('tasks/update').length === 0 ? asking : snapshot())(request))
    },
    answers: () => server.received('tasks/update').map(({ params }) => params['inputResponses']),
  },
  'before there is one': {
    ask: (inputRequests: object) => {
      const asking = result({ resultType: 'input_required', inputRequests, requestState: 'state-1' })
      server.on('tools/call', asking, result({ content: [] }))
    },
    answers: () =>
      server.received('tools/call').flatMap(({ params: { inputResponses: given } }) => (given ? [given] : [])),
  },
}

// [TASK-INPUT-TRUST]
describe.each(Object.entries(WAYS))('an input request that a server sends %s', (_, { ask, answers }) => {
  const KINDS = [
    ['a form', 'elicitation', FORM, YES],
    ['a link', 'elicitation', URL_INPUT_REQUEST, { action: 'accept' }],
    ['sampling', 'sampling', SAMPLING, { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hi.' } }],
    ['roots', 'roots', ROOTS, { roots: [{ uri: 'file:///project' }] }],
  ] as const

  it.each(KINDS)('[EDGE-23] reaches the same handler: %s', async (__, kind, request, answer) => {
    ask({ a: request })
    const handler = vi.fn(() => answer)
    const call = open({ input: { handlers: { [kind]: handler } satisfies InputHandlers } }).startToolCall({
      name: 'deploy',
    })
    await page.advance(1000)
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining(request),
      expect.objectContaining({ callId: call.callId, inputKey: 'a' }),
    )
    expect(answers()).toEqual([{ a: answer }])
  })

  // [CORE-ELICIT-APPROVAL]
  it.each(KINDS)(
    '[EDGE-23] waits for the same user where there is no handler: %s',
    async (__, kind, request, answer) => {
      ask({ a: request })
      const capabilities = kind === 'elicitation' ? {} : { [kind]: {} }
      const call = open({ capabilities }).startToolCall({ name: 'deploy' })
      await page.advance(600_000)
      expect(call.getState()).toMatchObject({ phase: 'input_required', inputRequests: { a: request } })
      expect(answers()).toEqual([])
      await call.respond('a', answer)
      await page.advance(0)
      expect(answers()).toEqual([{ a: answer }])
    },
  )

  // [CORE-ELICIT-VALIDATED]
  it('[EDGE-23] is answered by nothing that does not fit its schema, and stays open', async () => {
    ask({ a: FORM })
    const call = open().startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await expect(call.respond('a', { action: 'accept', content: { ok: 'yes' } })).rejects.toThrow(TaskInputError)
    await expect(call.respond('a', { action: 'accept', content: {} })).rejects.toThrow(TaskInputError)
    expect(answers()).toEqual([])
    expect(Object.keys(call.getState().inputRequests)).toEqual(['a'])
  })

  it.each(['accept', 'decline', 'cancel'])('[EDGE-23] can be answered by %s', async (action) => {
    ask({ a: URL_INPUT_REQUEST })
    const call = open().startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await call.respond('a', { action })
    await page.advance(0)
    expect(answers()).toEqual([{ a: { action } }])
  })

  // [CORE-ELICIT-MODE-DEFAULT]
  it('[EDGE-23] is a form where it names no mode', async () => {
    ask({ a: { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema } } })
    const call = open({ capabilities: { elicitation: { form: {} } } }).startToolCall({ name: 'deploy' })
    await page.advance(1000)
    expect(call.getState().inputRequests).toEqual({ a: FORM })
  })

  // [CORE-URL-NOT-FETCHED] [CORE-URL-CONSENT]
  it('[EDGE-23] with a URL makes nothing be fetched or opened by itself', async () => {
    ask({ a: URL_INPUT_REQUEST })
    const fetched = vi.fn(server.fetch)
    const opened = vi.fn()
    vi.stubGlobal('fetch', fetched)
    vi.stubGlobal('open', opened)
    open({ transportOptions: { fetch: fetched } }).startToolCall({ name: 'deploy' })
    await page.advance(5000)
    expect(
      fetched.mock.calls.map(([url]) => String(url)).filter((url) => !url.startsWith('http://localhost/')),
    ).toEqual([])
    expect(opened).not.toHaveBeenCalled()
  })
})

// [TASK-INPUT-TRUST]
it('[EDGE-23] an input request of a task under withTasks alone reaches the handler of the SDK client that one before it reaches', async () => {
  const sdk = new Client(
    { name: 'app', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } },
  )
  const http = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: server.fetch })
  await sdk.connect(withTasks(http, { environment: page.environment }))
  const handler = vi.fn(async () => ({ action: 'accept' as const, content: { ok: true } }))
  sdk.setRequestHandler('elicitation/create', handler)
  for (const { ask, answers } of Object.values(WAYS)) {
    ask({ a: FORM })
    sdk.callTool({ name: 'deploy' }).catch(() => {})
    await page.advance(1000)
    expect(answers()).toEqual([{ a: YES }])
  }
  expect(handler).toHaveBeenCalledTimes(2)
})

// [TASK-INPUT-INSPECT]
describe('the inputRequests of a task in input_required', () => {
  const call = async (reply: Reply, ...more: Reply[]) => {
    server.on('tools/call', created())
    server.on('tasks/get', reply, ...more)
    const started = open().startToolCall({ name: 'deploy' })
    await page.advance(1000)
    return started
  }

  it('[EDGE-23] are shown with the first response that has them, all of them', async () => {
    const inputRequests = { a: FORM, b: URL_INPUT_REQUEST }
    const started = await call(snapshot({ status: 'input_required', inputRequests }))
    expect(started.getState()).toMatchObject({ phase: 'input_required' })
    expect(started.getState().inputRequests).toEqual(inputRequests)
  })

  it('[EDGE-23] are looked at again with every response: new ones come, withdrawn ones go', async () => {
    const asking = (inputRequests: object) => snapshot({ status: 'input_required', inputRequests })
    const started = await call(
      asking({ a: FORM }),
      asking({ a: FORM, b: URL_INPUT_REQUEST }),
      asking({ b: URL_INPUT_REQUEST }),
      completed(),
    )
    await page.advance(1000)
    expect(Object.keys(started.getState().inputRequests)).toEqual(['a', 'b'])
    await page.advance(1000)
    expect(Object.keys(started.getState().inputRequests)).toEqual(['b'])
    await page.advance(1000)
    expect(started.getState()).toMatchObject({ phase: 'completed' })
    expect(started.getState().inputRequests).toEqual({})
  })

  it.each([undefined, null, [], 'a'])('[EDGE-23] that are %j break the protocol', async (inputRequests) => {
    const started = await call(snapshot({ status: 'input_required', inputRequests }))
    await page.advance(10_000)
    await expect(started.result).rejects.toThrow(TaskProtocolError)
  })

  it('[EDGE-23] are not looked at where the task is not in input_required', async () => {
    const started = await call(snapshot({ status: 'working', inputRequests: { a: FORM } }))
    expect(started.getState()).toMatchObject({ phase: 'working' })
    expect(started.getState().inputRequests).toEqual({})
  })
})

describe('the call that is repeated with the responses, before there is a task', () => {
  const asking = (members: object) => result({ resultType: 'input_required', inputRequests: { a: FORM }, ...members })
  const legs = () => server.received('tools/call')

  async function answer(members: object): Promise<void> {
    server.on('tools/call', asking(members), result({ content: [] }))
    const call = open().startToolCall({ name: 'deploy', arguments: { tag: 'v2' } })
    await page.advance(1000)
    // [CORE-INPUT-BEFORE-RETRY]
    expect(legs()).toHaveLength(1)
    await call.respond('a', YES)
    await page.advance(0)
    await expect(call.result).resolves.toEqual({ content: [] })
    expect(legs()).toHaveLength(2)
  }

  // [CORE-INPUT-STATE]
  it.each(['opaque', '', ' {"a":1}\n', 'taskwire:1', '世界'])(
    '[EDGE-23] carries the requestState %j back as it came',
    async (requestState) => {
      await answer({ requestState })
      expect(legs()[1]?.params['requestState']).toBe(requestState)
    },
  )

  // [CORE-INPUT-STATE]
  it('[EDGE-23] carries no requestState where there was none', async () => {
    await answer({})
    expect(legs()[1]?.params).not.toHaveProperty('requestState')
  })

  // [CORE-INPUT-NEW-ID]
  it('[EDGE-23] has an id of its own, the same arguments, and nothing that was not asked', async () => {
    await answer({ requestState: 's' })
    const [first, second] = legs()
    expect(second?.id).not.toBe(first?.id)
    expect(second?.params).toMatchObject({ name: 'deploy', arguments: { tag: 'v2' } })
    expect(second?.params['inputResponses']).toEqual({ a: YES })
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('dev.taskwire')
  })
})
