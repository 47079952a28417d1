import { type TaskClientUrlOptions, TaskConfigurationError } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient, itFull } from '../support/anyClient.js'
import { completed, created, createScriptedServer, result } from '../support/scriptedServer.js'

function setUp(options: Partial<TaskClientUrlOptions> = {}) {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now })
  server.on('tools/call', created({ status: 'completed' }))
  server.on('tasks/get', completed())
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    ...options,
  })
  return { page, server, client }
}

/** What the promise rejects with, a minute later. */
async function errorOf(page: { advance(ms: number): Promise<void> }, promise: Promise<unknown>): Promise<unknown> {
  const failed = promise.then(() => undefined).catch((error: unknown) => error)
  await page.advance(60_000)
  return failed
}

describe('headers that cannot be sent', () => {
  const BAD = 'Bearer secret-a\nsecret-b'

  it.each([
    ['a line break', BAD],
    ['a character that no header holds', 'Bearer €secret'],
  ])('[EDGE-39] are named without their value, nothing is sent, and the call can be made again: %s', async (_, bad) => {
    let value = 'Bearer fine'
    const { page, server, client } = setUp({ headers: () => ({ 'X-Fine': '1', Authorization: value }) })
    await Promise.all([client.connect(), page.settle()])
    value = bad
    const error = await errorOf(page, client.callTool({ name: 'report' }, { key: 'k' }))
    expect(error).toMatchObject({ name: 'ConnectionFailedError' })
    expect(String(error)).toContain('Authorization')
    expect(`${error} ${JSON.stringify(error)} ${(error as Error).cause}`).not.toContain('secret')
    expect(server.received('tools/call')).toHaveLength(0)
    value = 'Bearer fine'
    const again = client.callTool({ name: 'report' }, { key: 'k' })
    await page.advance(60_000)
    await expect(again).resolves.toBeDefined()
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('[EDGE-39] end the first call with what to change, where they were never any other', async () => {
    const { page, server, client } = setUp({ headers: { Authorization: BAD } })
    const error = await errorOf(page, client.callTool({ name: 'report' }, { key: 'k' }))
    expect(error).toMatchObject({ name: 'ConnectionFailedError', message: expect.stringContaining('Authorization') })
    expect(server.requests).toEqual([])
  })

  itFull('[EDGE-39] of transportOptions are named, too', async () => {
    const transportOptions = { requestInit: { headers: { 'X-Tenant': 'a\nb' } } }
    const { page, server, client } = setUp()
    const other = createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch: server.fetch, ...transportOptions },
      environment: page.environment,
    })
    const error = await errorOf(page, other.callTool({ name: 'report' }))
    expect(error).toMatchObject({ name: 'ConnectionFailedError', message: expect.stringContaining('X-Tenant') })
    await client.close()
  })
})

describe('a headers function that throws once', () => {
  it.each([
    ['before the client is connected', 1],
    ['when the call is sent', 2],
  ])('[EDGE-39] leaves its key free: %s', async (_, failing) => {
    let asked = 0
    const headers = () => {
      asked += 1
      if (asked === failing) throw new Error('The session store is locked.')
      return { Authorization: 'Bearer fine' }
    }
    const { page, server, client } = setUp({ headers })
    const error = await errorOf(page, client.callTool({ name: 'report' }, { key: 'k' }))
    expect(error).toMatchObject({ name: 'ConnectionFailedError', message: expect.stringContaining('headers') })
    expect((error as Error).cause).toMatchObject({ message: 'The session store is locked.' })
    expect(server.received('tools/call')).toHaveLength(0)
    const again = client.callTool({ name: 'report' }, { key: 'k' })
    await page.advance(60_000)
    await expect(again).resolves.toBeDefined()
    expect(server.received('tools/call')).toHaveLength(1)
  })
})

describe('a headers function that never answers', () => {
  /** Headers that come with the first requests, to connect, and with no other until `answer` is called. */
  function setUpSilent(answered: number) {
    let asked = 0
    let isSilent = true
    const headers = () => {
      asked += 1
      return isSilent && asked > answered ? new Promise<HeadersInit>(() => {}) : { Authorization: 'Bearer fine' }
    }
    const answer = () => {
      isSilent = false
    }
    return { ...setUp({ headers, push: false }), answer }
  }
  const SILENT = expect.stringContaining('within 20 s, so nothing was sent')

  it('[EDGE-39] ends the call after 20 s as one that was not sent, and leaves its key free', async () => {
    const { page, server, client, answer } = setUpSilent(1)
    const error = await errorOf(page, client.callTool({ name: 'report' }, { key: 'k' }))
    expect(error).toMatchObject({ name: 'ConnectionFailedError', message: SILENT })
    expect(server.received('tools/call')).toHaveLength(0)
    answer()
    const again = client.callTool({ name: 'report' }, { key: 'k' })
    await page.advance(60_000)
    await expect(again).resolves.toBeDefined()
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it.each(['get', 'cancel'] as const)('[EDGE-39] ends tasks.%s() after 20 s', async (name) => {
    const { page, client } = setUpSilent(1)
    await Promise.all([client.connect(), page.settle()])
    const request = client.tasks[name]('task-1')
    const failed = request.catch((error: unknown) => error)
    await page.advance(20_000)
    expect(await failed).toMatchObject({ name: 'TaskRequestError', kind: 'auth', message: SILENT })
  })

  it('[EDGE-39] pauses the polls of a task, which continue as soon as it answers', async () => {
    const { page, client, answer } = setUpSilent(2)
    const call = client.startToolCall({ name: 'report' }, { key: 'k' })
    await page.advance(25_000)
    expect(call.getState()).toMatchObject({ network: 'paused', lastError: { kind: 'auth', message: SILENT } })
    answer()
    await page.advance(60_000)
    expect(call.getState().phase).toBe('completed')
  })

  it('[EDGE-39] leaves no timer behind once a call is over, cancelled or closed', async () => {
    const { page, client } = setUpSilent(1)
    await Promise.all([client.connect(), page.settle()])
    const call = client.startToolCall({ name: 'report' })
    const outcome = errorOf({ advance: () => page.advance(1) }, call.result)
    await page.settle()
    await call.cancel()
    expect(await outcome).toMatchObject({ name: 'TaskCancelledError' })
    expect(page.pendingTimers()).toBe(0)
  })
})

it.each([[null], [undefined]])('a headers function that returns %s adds none', async (none) => {
  const { page, server, client } = setUp({ headers: () => none as unknown as HeadersInit })
  const result = client.callTool({ name: 'report' })
  await page.advance(60_000)
  await expect(result).resolves.toBeDefined()
  expect(server.received('tools/call')).toHaveLength(1)
})

it('[EDGE-39] a headers function that returns a text is named without it, and nothing is sent', async () => {
  const { page, server, client } = setUp({ headers: () => 'secret' as unknown as HeadersInit })
  const error = await errorOf(page, client.callTool({ name: 'report' }))
  expect(error).toMatchObject({
    name: 'ConnectionFailedError',
    message: expect.stringContaining('headers are not an object'),
  })
  expect(`${error} ${(error as Error).cause}`).not.toContain('secret')
  expect(server.requests).toEqual([])
})

describe('arguments that are no JSON', () => {
  class Money {
    readonly amount = 12n
  }

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a BigInt', { order: { items: [{ price: 1 }, { price: 12n }] } }, 'order.items[1].price', 'a bigint'],
    ['a BigInt in an object of a class', { price: new Money() }, 'price.amount', 'a bigint'],
    ['a File', { upload: new File(['x'], 'a.txt') }, 'upload', 'a File'],
    ['a Map', { filter: { tags: new Map([['a', 1]]) } }, 'filter.tags', 'a Map'],
    ['a Set', { 'my tags': [new Set()] }, '["my tags"][0]', 'a Set'],
    ['a function', { onDone: () => {} }, 'onDone', 'a function'],
    ['a symbol', { kind: Symbol('a') }, 'kind', 'a symbol'],
    ['a typed array', { bytes: new Uint8Array(2) }, 'bytes', 'a Uint8Array'],
    ['a promise', { value: Promise.resolve(1) }, 'value', 'a Promise'],
    ['a number that JSON has not', { seconds: Number.NaN }, 'seconds', 'NaN'],
  ])('[EDGE-44] are refused by path and kind before anything is sent: %s', (_, args, path, kind) => {
    const { server, client } = setUp()
    let error: unknown
    try {
      client.startToolCall({ name: 'report', arguments: args })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(TaskConfigurationError)
    expect(String(error)).toContain(`${path} is ${kind}`)
    expect(server.requests).toEqual([])
  })

  it('[EDGE-44] are not what says itself how it is written, nor a member that is undefined', async () => {
    const { page, server, client } = setUp()
    const args = {
      at: new Date(0),
      url: new URL('https://a.example/'),
      none: undefined,
      list: [1, null],
      plain: Object.create(null),
    }
    const called = client.callTool({ name: 'report', arguments: args })
    await page.advance(60_000)
    await called
    const sent = { at: '1970-01-01T00:00:00.000Z', url: 'https://a.example/', list: [1, null], plain: {} }
    expect(server.received('tools/call')[0]?.params['arguments']).toEqual(sent)
  })
})

describe('a server that asks for input again and again before it answers', () => {
  it('[EDGE-44] ends the call with a TaskError that says so', async () => {
    const form = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }
    const handlers = { elicitation: async () => ({ action: 'accept' as const, content: {} }) }
    const { page, server, client } = setUp({ input: { handlers } })
    const inputRequests = { a: { method: 'elicitation/create', params: form } }
    server.on('tools/call', result({ resultType: 'input_required', inputRequests, requestState: 's' }))
    const error = await errorOf(page, client.callTool({ name: 'report' }))
    expect(error).toMatchObject({ name: 'TaskStuckError', message: expect.stringContaining('"report"') })
    expect(server.received('tools/call')).toHaveLength(11)
  })
})

describe('a call that is cancelled in the turn in which it is started', () => {
  it.each([
    ['with a key', { key: 'k' }],
    ['without a key', {}],
  ])('is not made: %s', async (_, options) => {
    const { page, server, client } = setUp()
    const call = client.startToolCall({ name: 'report' }, options)
    const outcome = errorOf(page, call.result)
    await call.cancel()
    expect(await outcome).toMatchObject({ name: 'TaskCancelledError' })
    expect(call.getState().phase).toBe('cancelled')
    expect(server.received('tools/call')).toHaveLength(0)
  })
})
