import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  type InputRequest,
  type TaskClient,
  type TaskClientUrlOptions,
  TaskInputRequiredError,
  TaskProtocolError,
  type ToolCall,
  withTasks,
} from 'taskwire'
import { createSimulatedBrowser, createSimulatedEnvironment, type SimulatedEnvironment } from 'taskwire/testing'
import type { TaskClientBaseOptions } from 'taskwire/types'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { clientKind, createTaskClient, describeFull, itFull } from '../support/anyClient.js'
import {
  ANSWER,
  ack,
  completed,
  created,
  createScriptedServer,
  openStream,
  type Reply,
  result,
  type ScriptedServer,
  snapshot,
  speakLegacy,
  task,
} from '../support/scriptedServer.js'

let page: SimulatedEnvironment
let server: ScriptedServer
const onError = vi.fn()

const SAMPLING: InputRequest = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello?' } }], maxTokens: 5 },
}
const SAMPLING_WITH_TOOLS: InputRequest = {
  method: 'sampling/createMessage',
  params: { ...SAMPLING.params, messages: [], tools: [{ name: 't', inputSchema: { type: 'object' } }] },
}
const COMPLETION = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello.' } }
const ROOTS: InputRequest = { method: 'roots/list' }
const URL_INPUT_REQUEST = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign.', url: 'https://pay.example/', elicitationId: 'e1' },
} as const satisfies InputRequest
const FORM = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
} as const satisfies InputRequest

type Capabilities = NonNullable<ClientOptions['capabilities']>

const byUrl = (options: Partial<TaskClientUrlOptions> = {}): TaskClient =>
  createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    onError,
    ...options,
  })

const sdkClient = (capabilities: Capabilities) =>
  new Client({ name: 'app', version: '1' }, { capabilities, versionNegotiation: { mode: 'auto' } })

const httpTransport = () => new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: server.fetch })

const bySdkClient = (capabilities: Capabilities, options: TaskClientBaseOptions = {}): TaskClient =>
  createTaskClient({
    client: sdkClient(capabilities),
    transport: httpTransport,
    environment: page.environment,
    onError,
    ...options,
  })

/** Every client that there is of the kind that is tested. */
const everyKind = (capabilities: Capabilities): TaskClient[] => [
  byUrl({ capabilities }),
  ...(clientKind === 'full' ? [bySdkClient(capabilities)] : []),
]

/** A call of a tool, as it stands after some seconds. */
async function callOf(client: TaskClient, seconds = 10): Promise<ToolCall> {
  // What a server of 2025-11-25 takes is loaded in real time.
  await client.connect()
  const call = client.startToolCall({ name: 'deploy' })
  await page.advance(seconds * 1000)
  return call
}

const asking = (inputRequests: Record<string, unknown>): Reply => snapshot({ status: 'input_required', inputRequests })
const answers = () => server.received('tasks/update').map(({ params }) => params['inputResponses'])

beforeEach(() => {
  onError.mockClear()
  page = createSimulatedEnvironment()
  server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/update', ack)
})

const UNDECLARED: readonly (readonly [string, Capabilities, InputRequest, string])[] = [
  ['sampling', {}, SAMPLING, 'sampling'],
  ['sampling with tools', { sampling: {} }, SAMPLING_WITH_TOOLS, 'sampling.tools'],
  ['roots', {}, ROOTS, 'roots'],
  ['a link where forms are declared', { elicitation: { form: {} } }, URL_INPUT_REQUEST, 'elicitation.url'],
  ['a link where an empty capability stands for forms', { elicitation: {} }, URL_INPUT_REQUEST, 'elicitation.url'],
  ['a form where links are declared', { elicitation: { url: {} } }, FORM, 'elicitation.form'],
]

// [TASK-INPUT-TRUST] [CORE-UNDECLARED-REFUSED]
describe.each(UNDECLARED)('an input request that was never declared (%s)', (_, capabilities, request, missing) => {
  const refusal = { name: 'TaskInputRequiredError', message: expect.stringContaining(missing) }

  it('[EDGE-19] ends the call of a task, names what is missing and polls no more', async () => {
    server.on('tasks/get', asking({ a: request }))
    const call = await callOf(byUrl({ capabilities }))
    expect(call.getState()).toMatchObject({ phase: 'failed', error: refusal })
    expect(call.getState().inputRequests).toEqual({})
    expect(server.received('tasks/get')).toHaveLength(1)
    expect(answers()).toEqual([])
  })

  itFull('[EDGE-19] ends the call over an SDK client of the app, too', async () => {
    server.on('tasks/get', asking({ a: request }))
    const call = await callOf(bySdkClient(capabilities))
    expect(call.getState()).toMatchObject({ phase: 'failed', error: refusal })
    expect(answers()).toEqual([])
  })

  it('[EDGE-19] is not shown beside an input request that was declared', async () => {
    server.on('tasks/get', asking({ a: request === FORM ? URL_INPUT_REQUEST : FORM, b: request }))
    const call = await callOf(byUrl({ capabilities: { elicitation: { form: {} }, ...capabilities } }))
    expect(call.getState()).toMatchObject({ phase: 'failed', error: refusal })
    expect(call.getState().inputRequests).toEqual({})
  })

  it('[EDGE-19] ends the call in the same way before there is a task', async () => {
    server.on('tools/call', result({ resultType: 'input_required', inputRequests: { a: request }, requestState: 's' }))
    for (const client of everyKind(capabilities)) {
      const call = await callOf(client)
      expect(call.getState()).toMatchObject({ phase: 'failed', error: refusal })
      expect(call.getState().inputRequests).toEqual({})
    }
    expect(server.received('tools/call')).toHaveLength(everyKind(capabilities).length)
  })

  it('[EDGE-19] ends a call under withTasks alone', async () => {
    server.on('tasks/get', asking({ a: request }))
    const sdk = sdkClient(capabilities)
    await sdk.connect(withTasks(httpTransport(), { environment: page.environment }))
    const outcome = sdk.callTool({ name: 'deploy' })
    outcome.catch(() => {})
    await page.advance(2000)
    await expect(outcome).rejects.toMatchObject(refusal)
  })
})

describe('an input request of no kind that the protocol has', () => {
  const UNKNOWN = { method: 'payment/create', params: {} }

  it('[EDGE-19] ends the call after three such responses and is reported, also beside one that can be answered', async () => {
    server.on('tasks/get', asking({ a: FORM, b: UNKNOWN }))
    const call = await callOf(byUrl())
    expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'TaskProtocolError' } })
    expect(call.getState().error?.message).toContain('an input request has a method that no client answers')
    expect(server.received('tasks/get')).toHaveLength(3)
    expect(onError).toHaveBeenCalledWith(expect.any(TaskProtocolError), { callId: call.callId, operation: 'poll' })
  })

  it('[EDGE-19] does no harm where the next response of the server leaves it out', async () => {
    server.on('tasks/get', asking({ a: UNKNOWN }), asking({}), completed())
    const call = await callOf(byUrl())
    expect(call.getState().phase).toBe('completed')
  })

  it('[EDGE-19] ends a call under withTasks alone', async () => {
    server.on('tasks/get', asking({ a: UNKNOWN }))
    const sdk = sdkClient({})
    await sdk.connect(withTasks(httpTransport(), { environment: page.environment }))
    const outcome = sdk.callTool({ name: 'deploy' })
    outcome.catch(() => {})
    await page.advance(10_000)
    await expect(outcome).rejects.toThrow(TaskProtocolError)
  })
})

it('[EDGE-19] an input request that was declared is never refused, declined or cancelled on behalf of the user', async () => {
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
  const all = { a: FORM, b: URL_INPUT_REQUEST, c: SAMPLING, d: SAMPLING_WITH_TOOLS, e: ROOTS }
  server.on('tasks/get', asking(all))
  for (const client of everyKind(capabilities)) {
    const call = await callOf(client, 200)
    expect(Object.keys(call.getState().inputRequests)).toEqual(Object.keys(all))
  }
  expect(answers()).toEqual([])
  expect(server.received('tasks/cancel')).toEqual([])
})

it('[EDGE-19] a tab that only follows a task refuses what was not declared, without a connection of its own', async () => {
  const browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', asking({ a: SAMPLING }))
  const open = () =>
    createTaskClient({
      url: 'http://localhost/mcp',
      transportOptions: { fetch: server.fetch },
      environment: browser.openPage().environment,
    })
  const [first, second] = [open(), open()].map((client) => client.startToolCall({ name: 'deploy' }, { key: 'k' }))
  const shown: number[] = []
  second?.subscribe(({ inputRequests }) => shown.push(Object.keys(inputRequests).length))
  await browser.advance(10_000)
  expect(first?.getState().error?.name).toBe('TaskInputRequiredError')
  expect(second?.getState().error?.name).toBe('TaskInputRequiredError')
  expect(shown.every((count) => count === 0)).toBe(true)
})

describe.each([
  ['sampling', { sampling: {} }, SAMPLING, COMPLETION],
  ['roots', { roots: {} }, ROOTS, { roots: [{ uri: 'file:///project' }] }],
  ['a form', {}, FORM, { action: 'accept', content: {} }],
] as const)(
  'respond() where the capability is declared and there is no handler (%s)',
  (_, capabilities, request, answer) => {
    it('[EDGE-19] responds to an input request of a task', async () => {
      server.on('tasks/get', asking({ a: request }), completed())
      const call = await callOf(byUrl({ capabilities }), 1)
      await call.respond('a', answer)
      expect(answers()).toEqual([{ a: answer }])
    })

    it('[EDGE-19] responds to the same input request before there is a task', async () => {
      server.on(
        'tools/call',
        result({ resultType: 'input_required', inputRequests: { a: request }, requestState: 's' }),
        result({ content: [] }),
      )
      const call = await callOf(byUrl({ capabilities }), 1)
      expect(call.getState()).toMatchObject({
        phase: 'input_required',
        inputRequests: { a: { method: request.method } },
      })
      await call.respond('a', answer)
      await page.advance(0)
      await expect(call.result).resolves.toEqual({ content: [] })
      expect(server.received('tools/call')[1]?.params).toMatchObject({
        inputResponses: { a: answer },
        requestState: 's',
      })
    })

    itFull('[EDGE-19] responds to the same input request of a server that speaks 2025-11-25', async () => {
      speakLegacy(server)
      const stream = openStream()
      server.on('tools/call', stream)
      const call = await callOf(byUrl({ capabilities }), 1)
      stream.send({ id: 71, ...request })
      await page.advance(1000)
      const [key = ''] = Object.keys(call.getState().inputRequests)
      expect(call.getState().inputRequests[key]).toMatchObject({ method: request.method })
      await call.respond(key, answer)
      await page.advance(1000)
      expect(server.received(ANSWER).map(({ body }) => body)).toEqual([{ jsonrpc: '2.0', id: 71, result: answer }])
      stream.send({ id: server.received('tools/call')[0]?.id, result: { content: [] } })
      await page.advance(1000)
      await expect(call.result).resolves.toEqual({ content: [] })
    })
  },
)

describeFull('a server that speaks 2025-11-25', () => {
  const LEGACY_TASK = {
    taskId: 'legacy-1',
    status: 'working',
    createdAt: '2025-11-25T00:00:00Z',
    lastUpdatedAt: '2025-11-25T00:00:00Z',
    ttl: null,
    pollInterval: 1000,
  }
  const errorsSent = () =>
    server.received(ANSWER).map(({ body }) => [body['id'], (body['error'] as { code: number }).code])

  // [CORE-UNDECLARED-REFUSED]
  it('[EDGE-19] is refused a request outside of any task that was not declared', async () => {
    speakLegacy(server)
    const stream = openStream()
    server.on('tools/call', stream)
    const call = await callOf(byUrl({ capabilities: { elicitation: { form: {} }, sampling: {} } }), 1)
    stream.send({ id: 1, ...ROOTS })
    stream.send({ id: 2, ...URL_INPUT_REQUEST })
    stream.send({ id: 3, ...SAMPLING_WITH_TOOLS })
    await page.advance(1000)
    expect(call.getState().inputRequests).toEqual({})
    expect(errorsSent().toSorted()).toEqual([
      [1, -32601],
      [2, -32602],
      [3, -32602],
    ])
  })

  // [CORE-UNDECLARED-REFUSED]
  it('[EDGE-19] is refused the same in a task, the app is told, and the task goes on', async () => {
    speakLegacy(server, { tools: {}, tasks: { requests: { tools: { call: {} } } } })
    server.on(
      'tools/list',
      result({ tools: [{ name: 'deploy', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] }),
    )
    server.on('tools/call', result({ task: LEGACY_TASK }))
    server.on('tasks/get', result({ ...LEGACY_TASK, status: 'input_required' }))
    const stream = openStream()
    server.on('tasks/result', stream)
    const call = await callOf(byUrl({ capabilities: { elicitation: { form: {} }, sampling: {} } }), 1)
    const ofTask = ({ method, params }: { method: string; params?: object }) => ({
      method,
      params: { ...params, _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'legacy-1' } } },
    })
    stream.send({ id: 1, ...ofTask(ROOTS) })
    stream.send({ id: 2, ...ofTask(URL_INPUT_REQUEST) })
    stream.send({ id: 3, ...ofTask(SAMPLING_WITH_TOOLS) })
    stream.send({ id: 4, ...ofTask({ method: 'payment/create', params: {} }) })
    stream.send({ id: 5, ...ofTask(FORM) })
    await page.advance(1000)
    expect(errorsSent()).toEqual([
      [1, -32601],
      [2, -32602],
      [3, -32602],
      [4, -32601],
    ])
    expect(Object.values(call.getState().inputRequests)).toEqual([FORM])
    expect(onError.mock.calls.filter(([, { operation }]) => operation === 'protocol')).toHaveLength(4)
    expect(call.getState().phase).toBe('input_required')
  })
})

it('[EDGE-19] a pushed input request that was not declared ends the call without another poll', async () => {
  const stream = openStream()
  server.on('tasks/get', snapshot())
  server.on('subscriptions/listen', stream)
  const call = await callOf(byUrl(), 1)
  const { id, params } = server.received('subscriptions/listen')[0] ?? {}
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
  const acknowledged = { ...(params?.['notifications'] as object) }
  stream.send({ method: 'notifications/subscriptions/acknowledged', params: { notifications: acknowledged, _meta } })
  const pushed = task({ status: 'input_required', inputRequests: { a: SAMPLING } })
  stream.send({ method: 'notifications/tasks', params: { ...pushed, _meta } })
  await page.advance(100)
  await expect(call.result).rejects.toThrow(TaskInputRequiredError)
})
