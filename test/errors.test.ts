import type { TaskClientUrlOptions, TaskError, TaskErrorContext, ToolCall } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  http,
  type Reply,
  result,
  rpcError,
  type ScriptedServerOptions,
  snapshot,
  unreachable,
} from './support/scriptedServer.js'

const URL_ = 'https://tasks.example/mcp'
const TASK_ID = 'task-secret-1'
const RESULT = { content: [{ type: 'text', text: 'done' }] }
const html: Reply = http(200, {
  body: '<!doctype html><title>Sign in</title>',
  headers: { 'content-type': 'text/html' },
})

function setUp(serverOptions: ScriptedServerOptions = {}) {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const server = createScriptedServer({ now: page.now, ...serverOptions })
  const reported: { error: Error; operation: TaskErrorContext['operation'] }[] = []
  const open = (options: Partial<TaskClientUrlOptions> = {}) =>
    createTaskClient({
      url: URL_,
      transportOptions: { fetch: server.fetch },
      environment: page.environment,
      onError: (error, { operation }) => reported.push({ error, operation }),
      ...options,
    })
  return { page, server, reported, open, client: open(), polls: () => server.times('tasks/get', start) }
}

type SetUp = ReturnType<typeof setUp>

/** What became of a call so far. */
function track(call: ToolCall) {
  const outcome: { result?: unknown; error?: unknown } = {}
  call.result.then(
    (value) => Object.assign(outcome, { result: value }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  return outcome
}

const thrownBy = async (action: () => unknown): Promise<unknown> => {
  try {
    await action()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown.')
}

/** The outcome of a call of `report`, an hour later. */
const callOf = async ({ client, page }: SetUp, args?: Record<string, unknown>): Promise<unknown> => {
  const outcome = track(client.startToolCall({ name: 'report', ...(args && { arguments: args }) }))
  await page.advance(60 * 60_000)
  return outcome.error
}

interface Row {
  readonly name: string
  readonly server?: ScriptedServerOptions
  readonly error: (scene: SetUp) => Promise<unknown>
  readonly is: { readonly name: string; readonly [field: string]: unknown }
  /** What it is, and what to do about it. */
  readonly says: RegExp
}

const unusable = (options: unknown) => () => thrownBy(() => createTaskClient(options as TaskClientUrlOptions))
const misconfigured = { name: 'TaskConfigurationError' }
const broken = { name: 'TaskProtocolError', source: 'tasks/get' }

const rows: Row[] = [
  {
    name: 'no server at the URL: connect()',
    error: async ({ server, client, page }) => {
      server.on('server/discover', unreachable)
      client.connect().catch(() => {})
      await page.advance(60_000)
      return client.store.getState().connection.error
    },
    is: { name: 'ConnectionFailedError' },
    says: /^Failed to connect to an MCP server at https:\/\/tasks\.example\/mcp: .*Check that the server runs and that the URL is right.*: npx taskwire doctor https:\/\/tasks\.example\/mcp --origin http:\/\/localhost$/,
  },
  {
    name: 'no server at the URL: a call',
    error: async (scene) => {
      const { server, client, page } = scene
      server.on('server/discover', unreachable)
      callOf(scene).catch(() => {})
      await page.advance(60_000)
      return client.store.getState().connection.error
    },
    is: { name: 'ConnectionFailedError' },
    says: /Check that the server runs and that the URL is right/,
  },
  {
    name: 'something else at the URL',
    error: ({ server, client }) => {
      for (const method of ['server/discover', 'initialize']) server.on(method, html)
      return thrownBy(client.connect)
    },
    is: { name: 'ConnectionFailedError' },
    says: /does not speak MCP\. Check that the URL is that of the MCP endpoint/,
  },
  {
    name: 'a server without tools',
    server: { capabilities: {} },
    error: callOf,
    is: { name: 'ToolCallRejectedError', code: -32601 },
    says: /The server offers no tools\. Check/,
  },
  {
    name: 'an unknown tool',
    error: (scene) => {
      scene.server.on('tools/call', rpcError(-32602, 'Unknown tool: report'))
      return callOf(scene)
    },
    is: { name: 'ToolCallRejectedError', code: -32602 },
    says: /^Failed to call "report": Unknown tool: report \(-32602\)\. Check the name and the arguments against listTools\(\)\.$/,
  },
  {
    name: 'arguments that the server refuses',
    error: (scene) => {
      scene.server.on('tools/call', rpcError(-32602, 'seconds: expected a number', { status: 400 }))
      return callOf(scene, { seconds: 'many' })
    },
    is: { name: 'ToolCallRejectedError', code: -32602 },
    says: /expected a number .*Check the name and the arguments against listTools\(\)/,
  },
  ...[['a', 'list'], 'text', 7, null].map((args) => ({
    name: `arguments that are ${JSON.stringify(args)}`,
    error: ({ client }: SetUp) => thrownBy(() => client.callTool({ name: 'report', arguments: args as never })),
    is: misconfigured,
    says: /The arguments of "report" must be an object/,
  })),
  ...[undefined, '', 7, null].map((name) => ({
    name: `a tool named ${JSON.stringify(name)}`,
    error: ({ client }: SetUp) => thrownBy(() => client.callTool({ name: name as never })),
    is: misconfigured,
    says: /pass \{ name: 'my_tool' \}\. listTools\(\) returns the tools of the server/,
  })),
  ...[undefined, null, {}, { url: undefined }, { url: '' }, { client: undefined }, 'https://example.com/mcp'].map(
    (options) => ({
      name: `createTaskClient(${JSON.stringify(options)})`,
      error: unusable(options),
      is: misconfigured,
      says: /pass \{ url: 'https:\/\/…\/mcp' \}/,
    }),
  ),
  ...['ftp://example.com/mcp', 'http://', 'javascript:alert(1)'].map((url) => ({
    name: `createTaskClient with the url ${JSON.stringify(url)}`,
    error: unusable({ url }),
    is: misconfigured,
    says: /is not an http\(s\) URL\. Pass the URL of the MCP endpoint/,
  })),
  ...['mcp', 7].map((url) => ({
    name: `connect() to the url ${JSON.stringify(url)} without a page`,
    error: () => thrownBy(createTaskClient({ url: url as never }).connect),
    is: misconfigured,
    says: /is relative, and there is no page to resolve it against, as on a server\. Pass the whole URL/,
  })),
  ...[0, -1, Number.NaN, '5', null].flatMap((value) =>
    [
      'poll.minIntervalMs',
      'poll.defaultIntervalMs',
      'poll.maxConcurrent',
      'retry.baseMs',
      'retry.maxMs',
      'retry.maxAttempts',
    ].map((option) => {
      const [group = '', name = ''] = option.split('.')
      return {
        name: `${option} of ${String(value)}`,
        error: unusable({ url: URL_, [group]: { [name]: value } }),
        is: misconfigured,
        says: new RegExp(`^${option.replace('.', '\\.')} is .*; it must be a number above 0`),
      }
    }),
  ),
  ...['cloud', 7, null, {}, { getItem: () => null }].map((storage) => ({
    name: `storage: ${JSON.stringify(storage)}`,
    error: unusable({ url: URL_, storage }),
    is: misconfigured,
    says: /storage must be 'local', 'session', 'memory' or an object with getItem, setItem, removeItem and keys/,
  })),
  {
    name: 'a completed task without a result',
    error: (scene) => {
      scene.server.on('tools/call', created())
      scene.server.on('tasks/get', snapshot({ status: 'completed' }))
      return callOf(scene)
    },
    is: { ...broken, violation: 'a completed task has no result' },
    says: /a completed task has no result\. Report this to its maintainers/,
  },
  {
    name: 'a failed task without an error',
    error: (scene) => {
      scene.server.on('tools/call', created())
      scene.server.on('tasks/get', snapshot({ status: 'failed' }))
      return callOf(scene)
    },
    is: { ...broken, violation: 'a failed task has no error with a code and a message' },
    says: /Report this to its maintainers/,
  },
  {
    name: 'a task id that is not ours',
    error: async ({ server, client, page }) => {
      server.on('tasks/get', rpcError(-32602, 'Unknown task'))
      const outcome = track(client.resumeTask(TASK_ID))
      await page.advance(60_000)
      return outcome.error
    },
    is: { name: 'TaskExpiredError', reason: 'unknown-task' },
    says: /The server no longer knows this task: .*Start the call again/,
  },
  {
    name: 'an answer about another task',
    error: (scene) => {
      scene.server.on('tools/call', created())
      scene.server.on('tasks/get', completed({ taskId: 'somebody-else' }))
      return callOf(scene)
    },
    is: { ...broken, violation: 'the response is about another task' },
    says: /Report this to its maintainers/,
  },
  ...['', 7, undefined, null].map((taskId) => ({
    name: `resumeTask(${JSON.stringify(taskId)})`,
    error: ({ client }: SetUp) => thrownBy(() => client.resumeTask(taskId as never)),
    is: misconfigured,
    says: /resumeTask needs a task id/,
  })),
  {
    name: 'a status that nobody knows, from tools/call',
    error: (scene) => {
      scene.server.on('tools/call', created({ status: 'dancing' }))
      return callOf(scene)
    },
    is: { name: 'TaskProtocolError', source: 'tools/call', violation: 'the status is "dancing"' },
    says: /Report this to its maintainers/,
  },
  {
    name: 'a status that nobody knows, from tasks/get',
    error: (scene) => {
      scene.server.on('tools/call', created())
      scene.server.on('tasks/get', snapshot({ status: 'dancing' }))
      return callOf(scene)
    },
    is: { ...broken, violation: 'the status is "dancing"' },
    says: /Report this to its maintainers/,
  },
  {
    name: 'an answer to tools/call that is not JSON',
    error: (scene) => {
      scene.server.on('tools/call', html)
      return callOf(scene)
    },
    is: { name: 'ToolCallInterruptedError', toolName: 'report' },
    says: /it may be running on the server\. Call it again only if running twice does no harm/,
  },
  {
    name: 'an answer to tools/call under another id',
    error: (scene) => {
      scene.server.on('tools/call', () => Response.json({ jsonrpc: '2.0', id: 'other', result: RESULT }))
      return callOf(scene)
    },
    is: { name: 'ToolCallInterruptedError', toolName: 'report' },
    says: /it may be running on the server\. Call it again only if running twice does no harm/,
  },
  {
    name: 'an answer to tasks/get that is not JSON',
    error: async ({ server, client, page }) => {
      server.on('tools/call', created())
      server.on('tasks/get', html)
      const call = client.startToolCall({ name: 'report' })
      await page.advance(5000)
      expect(call.getState()).toMatchObject({ phase: 'working', network: 'retrying' })
      return call.getState().lastError
    },
    is: { name: 'TaskRequestError', kind: 'malformed' },
    says: /is not an MCP message\. Is a proxy or a sign-in page in between\?/,
  },
  {
    name: 'a client that is closed',
    error: async ({ client }) => {
      await client.close()
      return thrownBy(() => client.callTool({ name: 'report' }))
    },
    is: misconfigured,
    says: /This task client is closed\. Create a new one with createTaskClient\(\)/,
  },
]

describe('bad input gets a typed error that says what to do', () => {
  it.each(rows)('$name', async ({ server, error: errorOf, is, says }) => {
    const error = (await errorOf(setUp(server))) as TaskError
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject(is)
    expect(error.message).toMatch(says)
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(TASK_ID)
  })
})

describe('a server without tools', () => {
  it('lists none', async () => {
    const { client } = setUp({ capabilities: {} })
    await expect(client.listTools()).resolves.toEqual([])
  })
})

describe('a server without the extension', () => {
  it('is called all the same, just not as tasks, and the store says so', async () => {
    const { server, client, page } = setUp({ capabilities: { tools: {} } })
    server.on('tools/call', result(RESULT))
    const outcome = track(client.startToolCall({ name: 'report' }))
    await page.settle()
    expect(outcome).toEqual({ result: RESULT })
    expect(client.store.getState().connection).toMatchObject({ status: 'connected', tasks: false })
  })
})

describe('one response that makes no sense among good ones', () => {
  it.each([
    ['is no JSON', html],
    ['is a completed task without a result', snapshot({ status: 'completed' })],
    ['is a failed task without an error', snapshot({ status: 'failed' })],
    ['has a status that nobody knows', snapshot({ status: 'dancing' })],
    ['is about another task', completed({ taskId: 'somebody-else' })],
  ])('that %s is retried, not fatal', async (_, bad) => {
    const { server, client, page } = setUp()
    server.on('tools/call', created())
    server.on('tasks/get', snapshot(), bad, bad, snapshot(), completed())
    const outcome = track(client.startToolCall({ name: 'report' }))
    await page.advance(60_000)
    expect(outcome).toEqual({ result: RESULT })
  })
})

describe('polls that fail', () => {
  it('are told to onError, each with its call, and the call goes on', async () => {
    const { server, client, page, reported } = setUp()
    server.on('tools/call', created())
    server.on('tasks/get', unreachable, html, completed())
    const outcome = track(client.startToolCall({ name: 'report' }))
    await page.advance(60_000)
    expect(outcome).toEqual({ result: RESULT })
    expect(reported.map(({ error, operation }) => [operation, error.name])).toEqual([
      ['poll', 'TaskRequestError'],
      ['poll', 'TaskRequestError'],
    ])
  })
})

describe('a server that is busy', () => {
  it.each([
    ['seconds', '7'],
    ['a date', 'Tue, 28 Jul 2026 00:00:08 GMT'],
  ])('[DUR-53] is left alone for as long as it asks, in %s', async (_, retryAfter) => {
    const { server, client, page, polls } = setUp()
    server.on('tools/call', created())
    server.on('tasks/get', http(429, { headers: { 'Retry-After': retryAfter } }), completed())
    const call = client.startToolCall({ name: 'report' })
    await page.advance(1000)
    expect(call.getState()).toMatchObject({ network: 'retrying', lastError: { kind: 'http', retryAfterMs: 7000 } })
    await page.advance(60_000)
    expect(polls()).toEqual([1000, 8000])
  })
})

describe('a pollIntervalMs', () => {
  it.each([
    ['of 0', '0', 50, 0],
    ['of -1', '-1', 1000, 1],
    ['of NaN, which JSON writes as null', 'null', 1000, 1],
    ['of "5"', '"5"', 1000, 1],
    ['of 1e12', '1e12', Number.POSITIVE_INFINITY, 0],
    ['that is missing', undefined, 1000, 0],
  ])('%s neither heats the loop nor stops it', async (_, text, interval, issues) => {
    const { server, client, page, polls, reported } = setUp()
    const changes = { pollIntervalMs: text === undefined ? undefined : JSON.parse(text) }
    server.on('tools/call', created(changes))
    server.on('tasks/get', snapshot(changes))
    client.startToolCall({ name: 'report' })
    await page.advance(3000)
    const expected = Array.from({ length: Math.floor(3000 / interval) }, (_poll, index) => (index + 1) * interval)
    expect(polls()).toEqual(expected)
    const heard = reported.filter(({ operation }) => operation === 'protocol')
    expect(heard).toHaveLength(issues * (1 + expected.length))
    for (const { error } of heard) expect(error.message).toMatch(/pollIntervalMs is .*; ignored/)
  })

  it('of 1e12 does not outlive the ttl', async () => {
    const { server, client, page } = setUp()
    const changes = { pollIntervalMs: 1e12, ttlMs: 60_000 }
    server.on('tools/call', created(changes))
    server.on('tasks/get', snapshot(changes))
    const outcome = track(client.startToolCall({ name: 'report' }))
    await page.advance(120_000)
    expect(outcome.error).toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
  })
})

describe('a storage that throws on every call', () => {
  const failure = new DOMException('The operation is insecure.', 'SecurityError')
  const throwing = (): never => {
    throw failure
  }
  const rejecting = () => Promise.reject(failure)
  const { environment } = createSimulatedEnvironment()

  it.each<[string, (page: SetUp['page']) => Partial<TaskClientUrlOptions>]>([
    ['at once', () => ({ storage: { getItem: throwing, setItem: throwing, removeItem: throwing, keys: throwing } })],
    ['later', () => ({ storage: { getItem: rejecting, setItem: rejecting, removeItem: rejecting, keys: rejecting } })],
    ['on mere access', ({ environment: own }) => ({ environment: { ...own, storage: throwing } })],
    [
      'because it is full',
      ({ environment: own }) => ({ environment: { ...own, storage: () => full(environment.storage('local')) } }),
    ],
  ])('[DUR-64] %s harms no call, and is reported', async (_, options) => {
    const { server, open, page, polls, reported } = setUp()
    server.on('tools/call', created())
    server.on('tasks/get', snapshot(), completed())
    server.on('tasks/cancel', ack)
    const client = open(options(page))
    const call = client.startToolCall({ name: 'report' }, { key: 'weekly' })
    const outcome = track(call)
    await page.advance(1500)
    await call.cancel()
    await page.hidePage()
    await page.advance(10_000)
    expect(outcome).toEqual({ result: RESULT })
    expect(polls()).toEqual([1000, 2000])
    await expect(client.resumeToolCalls()).resolves.toEqual([])
    await client.forget()
    await client.close()
    expect(reported.length).toBeGreaterThan(2)
    for (const { error, operation } of reported) {
      expect(operation).toBe('storage')
      expect(error).toMatchObject({ name: 'TaskStorageError' })
      expect(error.message).toMatch(/Tasks keep running, but a reload may not find them/)
    }
  })

  function full(storage: ReturnType<typeof environment.storage>) {
    return storage && { ...storage, setItem: throwing, length: 0, key: () => null }
  }
})
