import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PATIENCE } from '../../../test/support/patience.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  held,
  http,
  type Reply,
  result,
  rpcError,
  silence,
  snapshot,
  stream,
  task,
  unreachable,
} from '../../../test/support/scriptedServer.js'
import { answeredFetch } from '../../sdk/v2/fetch.js'
import { createSdkV2Connection } from '../../sdk/v2/sdkV2Connection.js'
import { withTasks } from '../../sdk/withTasks/withTasks.js'
import { browserEnvironment } from '../environment/browserEnvironment.js'
import {
  ConnectionFailedError,
  TaskConfigurationError,
  TaskExpiredError,
  TaskProtocolError,
  TaskRequestError,
  TasksUnsupportedError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import type { CallHooks } from '../protocol/taskPort.js'
import type { ConnectionState } from './connection.js'
import { createLiteConnection } from './http/liteConnection.js'
import { withRetryAfter } from './retryAfter.js'

const URL_ = 'https://tasks.example/mcp'
const NOW = Date.UTC(2026, 6, 28, 12, 0, 0)
const TASK_ID = 'task-secret-1'
const RESULT = { content: [{ type: 'text', text: 'done' }] }

const LEGACY = { mode: 'auto' as const, ttlMs: undefined, environment: browserEnvironment(), addressesSessions: false }

const done = result(RESULT)
const never = () => new Promise<never>(() => {})
const hooks = (): CallHooks => ({
  beforeSend: () => Promise.resolve(undefined),
  ask: never,
  onProgress: () => {},
  signal: new AbortController().signal,
})

const kinds = ['full', 'lite'] as const

function setUpWith(
  kind: (typeof kinds)[number],
  options: { capabilities?: Record<string, unknown>; tools?: Record<string, unknown>[] } = {},
) {
  const server = createScriptedServer({ now: () => NOW, ...options })
  const states: ConnectionState[] = []
  const issues: TaskProtocolError[] = []
  let sequence = 0
  const shared = {
    url: URL_,
    callTimeoutMs: 3_600_000,
    environment: { ...browserEnvironment(), now: () => NOW },
    onState: (state: ConnectionState) => states.push(state),
    onIssue: (issue: TaskProtocolError) => issues.push(issue),
  }
  const full = () => {
    const fetch = answeredFetch(withRetryAfter(server.fetch, () => NOW))
    return createSdkV2Connection({
      ...shared,
      client: new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } }),
      createTransport: () => withTasks(new StreamableHTTPClientTransport(new URL(URL_), { fetch })),
      randomId: () => `token-${++sequence}`,
      legacy: LEGACY,
    })
  }
  const lite = () =>
    createLiteConnection({
      ...shared,
      endpoint: () => new URL(URL_),
      fetch: server.fetch,
      headers: undefined,
      clientInfo: { name: 'app', version: '1' },
      capabilities: {},
    })
  const connection = kind === 'full' ? full() : lite()
  const call = (signal = new AbortController().signal) =>
    connection.callTool({ name: 'report' }, { ...hooks(), signal })
  return { server, connection, states, issues, call }
}

const caught = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It did not fail.')
}

interface Expected {
  readonly type: new (...args: never[]) => Error
  readonly fields?: Record<string, unknown>
  /** What to do about it. */
  readonly says: RegExp
}

interface Fault {
  readonly name: string
  readonly reply: Reply
  /** What it means for a `tools/call`, for a `tasks/get`, and for `connect`. */
  readonly call: Expected
  readonly poll: Expected
  readonly connect: Expected
}

const interrupted: Expected = {
  type: ToolCallInterruptedError,
  says: /Call it again only if running twice does no harm/,
}
const rejected = (code: number, says: RegExp): Expected => ({ type: ToolCallRejectedError, fields: { code }, says })
const request = (fields: Record<string, unknown>, says: RegExp): Expected => ({ type: TaskRequestError, fields, says })
const noConnection = (says: RegExp): Expected => ({ type: ConnectionFailedError, says })

const unsupported: Expected = { type: TasksUnsupportedError, fields: { code: -32021 }, says: /tasks/ }
const expired: Expected = { type: TaskExpiredError, fields: { reason: 'unknown-task' }, says: /Start the call again/ }
const wrongUrl = noConnection(/does not speak MCP\. Check that the URL is that of the MCP endpoint/)
const required = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

const faults: Fault[] = [
  ...[200, 400].map((status) => ({
    name: `-32021 on HTTP ${status}`,
    reply: rpcError(-32021, 'Missing required client capability', { status, data: required }),
    call: unsupported,
    poll: unsupported,
    connect: noConnection(/and said "/),
  })),
  ...[200, 400].map((status) => ({
    name: `-32602 on HTTP ${status}`,
    reply: rpcError(-32602, 'Invalid params', { status }),
    call: rejected(-32602, /Check the name and the arguments against listTools\(\)/),
    poll: expired,
    connect: noConnection(/and said "/),
  })),
  ...[200, 404].map((status) => ({
    name: `-32601 on HTTP ${status}`,
    reply: rpcError(-32601, 'Method not found', { status }),
    call: rejected(-32601, /The server offers no tools\. Check/),
    poll: { type: TasksUnsupportedError, fields: { code: -32601 }, says: /refuses tasks\/get/ },
    connect: noConnection(/and said "/),
  })),
  {
    name: '-32603 on HTTP 200',
    reply: rpcError(-32603, 'Internal error'),
    call: rejected(-32603, /Internal error/),
    poll: request({ kind: 'server' }, /Internal error/),
    connect: noConnection(/and said "/),
  },
  ...[408, 425, 500, 503, 504].map((status) => ({
    name: `HTTP ${status} that says -32000`,
    reply: rpcError(-32000, 'Upstream', { status }),
    call: interrupted,
    poll: request({ kind: 'http', code: undefined }, new RegExp(`HTTP ${status}`)),
    connect: noConnection(/and said "/),
  })),
  {
    name: 'HTTP 503 that says -32602',
    reply: rpcError(-32602, 'Invalid params', { status: 503 }),
    call: interrupted,
    poll: request({ kind: 'http' }, /HTTP 503/),
    connect: noConnection(/and said "/),
  },
  {
    name: 'HTTP 429 that says -32000',
    reply: rpcError(-32000, 'Too many', { status: 429 }),
    call: rejected(429, /HTTP 429.*later/),
    poll: request({ kind: 'http', code: undefined }, /HTTP 429/),
    connect: noConnection(/and said "/),
  },
  ...[401, 403].map((status) => ({
    name: `HTTP ${status} that says -32000`,
    reply: rpcError(-32000, 'Unauthorized', { status }),
    call: rejected(401, /asks for credentials/),
    poll: request({ kind: 'auth', code: undefined }, /Sign in again; the task keeps running meanwhile/),
    connect: noConnection(/HTTP 40[13] and said "Unauthorized"\. It (asks for|refuses)/),
  })),
  {
    name: '-32003, which is not -32021',
    reply: rpcError(-32003, 'Missing required client capability', { data: required }),
    call: rejected(-32003, /Missing required client capability/),
    poll: request({ kind: 'server' }, /Missing required client capability/),
    connect: noConnection(/and said "/),
  },
  ...[401, 403].map((status) => ({
    name: `HTTP ${status}`,
    reply: http(status, { body: 'Who are you?' }),
    call: rejected(401, /asks for credentials\. With an authProvider, client\.authorize\(\) starts a sign-in/),
    poll: request({ kind: 'auth' }, /Sign in again; the task keeps running meanwhile/),
    connect: noConnection(/said "Who are you\?"\. It (asks for credentials: pass authProvider|refuses access)/),
  })),
  {
    name: 'HTTP 404',
    reply: http(404, { body: 'Not found' }),
    call: rejected(404, /HTTP 404 and said "Not found"\. Check/),
    poll: request({ kind: 'http' }, /HTTP 404/),
    connect: noConnection(/HTTP 404 and said "Not found"\. Check that the URL is that of the MCP endpoint/),
  },
  {
    name: 'HTTP 408',
    reply: http(408),
    call: interrupted,
    poll: request({ kind: 'http', retryAfterMs: undefined }, /HTTP 408/),
    connect: noConnection(/HTTP 408/),
  },
  {
    name: 'HTTP 429 with seconds',
    reply: http(429, { headers: { 'Retry-After': '7' } }),
    call: rejected(429, /HTTP 429.*later/),
    poll: request({ kind: 'http', retryAfterMs: 7000 }, /429/),
    connect: noConnection(/HTTP 429/),
  },
  {
    name: 'HTTP 500',
    reply: http(500, { body: 'Oops' }),
    call: interrupted,
    poll: request({ kind: 'http', retryAfterMs: undefined }, /HTTP 500/),
    connect: noConnection(/HTTP 500/),
  },
  {
    name: 'HTTP 503 with a date',
    reply: http(503, { headers: { 'Retry-After': 'Tue, 28 Jul 2026 12:00:30 GMT' } }),
    call: interrupted,
    poll: request({ kind: 'http', retryAfterMs: 30_000 }, /503/),
    connect: noConnection(/HTTP 503/),
  },
  {
    name: 'a page of HTML',
    reply: http(200, { body: '<!doctype html><h1>Sign in</h1>', headers: { 'content-type': 'text/html' } }),
    call: interrupted,
    poll: request({ kind: 'malformed' }, /Is a proxy or a sign-in page in between\?/),
    connect: wrongUrl,
  },
  {
    name: 'HTML that calls itself JSON',
    reply: http(200, { body: '<!doctype html>', headers: { 'content-type': 'application/json' } }),
    call: interrupted,
    poll: request({ kind: 'malformed' }, /Is a proxy or a sign-in page in between\?/),
    connect: wrongUrl,
  },
  {
    name: 'JSON cut short',
    reply: http(200, { body: '{"jsonrpc":"2.0","id":1,"resu', headers: { 'content-type': 'application/json' } }),
    call: interrupted,
    poll: request({ kind: 'malformed' }, /Is a proxy or a sign-in page in between\?/),
    connect: wrongUrl,
  },
  {
    name: 'JSON that is no JSON-RPC',
    reply: () => Response.json({ hello: 'world' }),
    call: interrupted,
    poll: request({ kind: 'malformed' }, /Is a proxy or a sign-in page in between\?/),
    connect: wrongUrl,
  },
  {
    name: 'a stream that ends without an answer',
    reply: stream(),
    call: interrupted,
    poll: request({ kind: 'network' }, /stream ended/),
    connect: noConnection(/Check/),
  },
  {
    name: 'a network that is down',
    reply: unreachable,
    call: interrupted,
    poll: request({ kind: 'network' }, /could not be reached: fetch failed/),
    connect: noConnection(/Check that the server runs and that the URL is right\..*Access-Control-Allow-Headers/),
  },
]

function expectError(error: unknown, { type, fields = {}, says }: Expected): void {
  expect(error).toBeInstanceOf(type)
  expect(error).toMatchObject(fields)
  expect((error as Error).message).toMatch(says)
}

afterEach(() => {
  vi.useRealTimers()
})

describe.each(kinds)('over the %s connection,', (kind) => {
  const setUp = (options?: Parameters<typeof setUpWith>[1]) => setUpWith(kind, options)

  describe('a tools/call that meets', () => {
    it.each(faults)('$name', async ({ reply, call: expected }) => {
      const { server, connection, call } = setUp()
      server.on('tools/call', reply)
      expectError(await caught(call()), expected)
      expect(server.received('tools/call')).toHaveLength(1)
      await connection.close()
    })

    it('-32021 about another capability is told apart from one about tasks', async () => {
      const { server, call } = setUp()
      server.on('tools/call', rpcError(-32021, 'Missing', { data: { requiredCapabilities: { sampling: {} } } }))
      expectError(await caught(call()), rejected(-32021, /Missing/))
    })

    it.each([
      ['an answer under another id', () => Response.json({ jsonrpc: '2.0', id: 'other', result: RESULT })],
      ['no answer at all', () => new Response(null, { status: 202 })],
    ] satisfies [string, Reply][])('%s, is interrupted instead of waiting for weeks', async (_, reply) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const { server, connection, call } = setUp()
      server.on('tools/call', reply)
      let error: unknown
      call().catch((thrown: unknown) => {
        error = thrown
      })
      await vi.advanceTimersByTimeAsync(60 * 60_000)
      const atOnce = error
      await connection.close()
      expectError(atOnce, interrupted)
    })

    it('an abort rejects with its reason, and ends the request', async () => {
      const { server, call } = setUp()
      server.on('tools/call', silence)
      const abort = new AbortController()
      const reason = new Error('enough')
      const failing = caught(call(abort.signal))
      await vi.waitFor(() => expect(server.received('tools/call')).toHaveLength(1), PATIENCE)
      abort.abort(reason)
      expect(await failing).toBe(reason)
      expect(server.received('tools/call')[0]?.signal?.aborted).toBe(true)
      expect(server.received('notifications/cancelled')).toEqual([])
    })

    it('an abort before it begins, sends nothing', async () => {
      const { server, call } = setUp()
      const reason = new Error('enough')
      expect(await caught(call(AbortSignal.abort(reason)))).toBe(reason)
      expect(server.received('tools/call')).toEqual([])
    })
  })

  describe('a tasks/get that meets', () => {
    it.each(faults)('$name', async ({ reply, poll: expected }) => {
      const { server, connection } = setUp()
      server.on('tasks/get', reply)
      const error = await caught(connection.getTask(TASK_ID))
      expectError(error, expected)
      expect(`${(error as Error).message} ${JSON.stringify(error)}`).not.toContain(TASK_ID)
      await connection.close()
    })

    it.each([
      ['a task without a status', { taskId: TASK_ID }],
      ['a completed task without a result', task({ status: 'completed' })],
      ['an empty result', {}],
      ['a task that may only answer a tools/call', { ...task(), resultType: 'task' }],
      ['a question instead of a task', { resultType: 'input_required', inputRequests: {} }],
    ])('%s, is told that the server broke the protocol', async (_, members) => {
      const { server, connection } = setUp()
      server.on('tasks/get', result(members))
      const error = await caught(connection.getTask(TASK_ID))
      expect(error).toBeInstanceOf(TaskProtocolError)
      expect((error as Error).message).toMatch(/Report this to its maintainers/)
    })

    it('an abort rejects with its reason, and a late response harms nobody', async () => {
      const { server, connection } = setUp()
      const late = held(completed())
      server.on('tasks/get', late, completed())
      const abort = new AbortController()
      const reason = new Error('enough')
      const failing = caught(connection.getTask(TASK_ID, abort.signal))
      await vi.waitFor(() => expect(server.received('tasks/get')).toHaveLength(1), PATIENCE)
      abort.abort(reason)
      expect(await failing).toBe(reason)
      late.release()
      await expect(connection.getTask(TASK_ID)).resolves.toMatchObject({ status: 'completed' })
    })
  })

  describe('a tasks/update that meets', () => {
    it.each([
      ['HTTP 503', 503, { kind: 'http' }],
      ['HTTP 429', 429, { kind: 'http' }],
      ['HTTP 401', 401, { kind: 'auth' }],
      ['HTTP 400', 400, { kind: 'server', code: -32000 }],
    ])('%s with a JSON-RPC error goes by what decides', async (_, status, fields) => {
      const { server, connection } = setUp()
      server.on('tasks/update', rpcError(-32000, 'No', { status }))
      expect(await caught(connection.updateTask(TASK_ID, {}))).toMatchObject({ name: 'TaskRequestError', ...fields })
    })

    it('Retry-After knows which task it was about', async () => {
      const { server, connection } = setUp()
      server.on('tasks/get', http(503, { headers: { 'Retry-After': '7' } }))
      expect(await caught(connection.getTask(TASK_ID))).toMatchObject({ taskId: TASK_ID, retryAfterMs: 7000 })
    })
  })

  describe('an error about a task', () => {
    const echo =
      (make: (words: string) => Reply): Reply =>
      (asked) =>
        make(`Task ${String(asked.params['taskId'])} is gone`)(asked)
    const echoes: [string, Reply][] = [
      ['-32602', echo((words) => rpcError(-32602, words))],
      ['-32601', echo((words) => rpcError(-32601, words))],
      ['-32603', echo((words) => rpcError(-32603, words))],
      ['HTTP 404', echo((words) => http(404, { body: words }))],
      ['HTTP 500', echo((words) => http(500, { body: words }))],
      ['fetch', (asked) => Promise.reject(new TypeError(`Failed to fetch ${String(asked.params['taskId'])}`))],
    ]

    it.each(echoes)('never shows its id, even where the server does: %s', async (_, reply) => {
      const { server, connection } = setUp()
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) server.on(method, reply)
      const errors = [
        await caught(connection.getTask(TASK_ID)),
        await caught(connection.updateTask(TASK_ID, {})),
        await caught(connection.cancelTask(TASK_ID)),
      ]
      for (const error of errors) {
        expect((error as Error).message).not.toContain(TASK_ID)
        expect(JSON.stringify(error)).not.toContain(TASK_ID)
      }
    })
  })

  describe('connecting', () => {
    it.each(faults)('to $name', async ({ name, reply, connect: expected }) => {
      const { server, connection, states } = setUp()
      for (const method of ['server/discover', 'initialize']) server.on(method, reply)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const failing = caught(connection.connectForApp())
      // A server that says nothing is given up after the 60 s of the SDK.
      await vi.advanceTimersByTimeAsync(120_000)
      const error = await failing
      expectError(error, expected)
      expect((error as Error).message).toContain(URL_)
      const asksForSignIn = /asks for credentials/.test((error as Error).message)
      const ended = asksForSignIn || name.startsWith('HTTP 401') ? 'unauthorized' : 'failed'
      expect(states.map(({ status }) => status)).toEqual(['connecting', ended])
      expect(states.at(-1)?.error).toBe(error)
    })

    it('in a browser that hides why, names what CORS needs', async () => {
      vi.stubGlobal('window', {})
      vi.stubGlobal('document', {})
      const { server, connection } = setUp()
      for (const method of ['server/discover', 'initialize']) server.on(method, unreachable)
      const error = await caught(connection.listTools())
      expect(error).toBeInstanceOf(ConnectionFailedError)
      for (const header of [
        'content-type',
        'mcp-protocol-version',
        'mcp-method',
        'mcp-name',
        'Access-Control-Allow-Origin',
      ])
        expect((error as Error).message).toContain(header)
    })

    it('happens once for all who wait, and tells what it found', async () => {
      const { server, connection, states, call } = setUp()
      server.on('tools/call', done)
      await Promise.all([connection.connect(), connection.connect(), connection.listTools(), call()])
      expect(server.received('server/discover')).toHaveLength(1)
      expect(states).toEqual([
        { status: 'connecting' },
        {
          status: 'connected',
          era: 'modern',
          eraReason: expect.stringContaining('server/discover'),
          protocolVersion: '2026-07-28',
          server: { name: 'scripted', version: '1.0.0' },
          tasks: true,
        },
      ])
    })

    it('that failed is tried again with the next use', async () => {
      const { server, connection, call } = setUp()
      server.on('server/discover', http(500))
      expect(await caught(call())).toBeInstanceOf(ConnectionFailedError)
      expect(server.received('tools/call')).toEqual([])
      server.on('server/discover', result({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }))
      server.on('tools/call', done)
      await expect(call()).resolves.toMatchObject({ type: 'result', result: RESULT })
      await connection.close()
    })

    it('to a server without the extension says so, and calls work', async () => {
      const { server, states, call } = setUp({ capabilities: { tools: {} } })
      server.on('tools/call', done)
      await expect(call()).resolves.toMatchObject({ type: 'result', result: RESULT })
      expect(states.at(-1)).toMatchObject({ status: 'connected', tasks: false })
    })

    it('is over for good after close()', async () => {
      const { server, connection, states } = setUp()
      await connection.connect()
      await connection.close()
      const error = await caught(connection.getTask(TASK_ID))
      expect(error).toBeInstanceOf(TaskConfigurationError)
      expect((error as Error).message).toMatch(/closed\. Create a new one/)
      expect(states.at(-1)).toEqual({ status: 'closed' })
      expect(server.received('tasks/get')).toEqual([])
    })
  })

  describe('before a tools/call', () => {
    it('waits until the caller is ready, when nothing but the request is left to be done', async () => {
      const { server, connection } = setUp()
      server.on('tools/call', done)
      const seen: string[][] = []
      const beforeSend = async () => {
        seen.push(server.requests.map(({ method }) => method))
        return undefined
      }
      await connection.callTool({ name: 'report' }, { ...hooks(), beforeSend })
      expect(seen).toEqual([['server/discover']])
    })

    it('asks nobody where there is no connection', async () => {
      const { server, connection } = setUp()
      server.on('server/discover', unreachable)
      const beforeSend = vi.fn(() => Promise.resolve(undefined))
      await caught(connection.callTool({ name: 'report' }, { ...hooks(), beforeSend }))
      expect(beforeSend).not.toHaveBeenCalled()
    })
  })

  describe('a tools/call answered by a task', () => {
    it('is handed over as a task, once, and sends nothing of ours', async () => {
      const { server, connection } = setUp()
      server.on('tools/call', created())
      const response = await connection.callTool({ name: 'report', arguments: { seconds: 3 } }, hooks())
      expect(response).toEqual({ type: 'task', task: task() })
      const [sent] = server.received('tools/call')
      expect(sent?.params).toMatchObject({ name: 'report', arguments: { seconds: 3 } })
      expect(JSON.stringify(sent?.body)).not.toMatch(/token-\d|taskwire\/call/)
    })

    it('is handed over raw where that is asked for', async () => {
      const { server, connection } = setUp()
      server.on('tools/call', created(), done)
      await expect(connection.callToolRaw({ name: 'report' }, undefined)).resolves.toEqual({
        type: 'task',
        task: task(),
      })
      await expect(connection.callToolRaw({ name: 'report' }, undefined)).resolves.toEqual({
        type: 'result',
        result: RESULT,
      })
      expect(server.received('tasks/*')).toEqual([])
    })

    it('completes a resumed one without asking the server', async () => {
      const { server, connection } = setUp()
      await expect(connection.completeCall('report', { content: [] })).resolves.toEqual({ content: [] })
      expect(server.received('tools/call')).toEqual([])
    })
  })

  describe('requests for a task', () => {
    it('carry envelope and headers', async () => {
      const { server, connection } = setUp()
      server.on('tasks/get', snapshot())
      server.on('tasks/update', ack)
      server.on('tasks/cancel', ack)
      await connection.getTask(TASK_ID)
      await connection.updateTask(TASK_ID, { name: { action: 'accept', content: { name: 'Ann' } } })
      await connection.cancelTask(TASK_ID)
      const sent = server.received('tasks/*')
      expect(sent.map(({ method, params: { _meta, ...params } }) => [method, params])).toEqual([
        ['tasks/get', { taskId: TASK_ID }],
        ['tasks/update', { taskId: TASK_ID, inputResponses: { name: { action: 'accept', content: { name: 'Ann' } } } }],
        ['tasks/cancel', { taskId: TASK_ID }],
      ])
      for (const { method, headers, params } of sent) {
        expect(headers.get('mcp-method')).toBe(method)
        expect(headers.get('mcp-name')).toBe(TASK_ID)
        expect(headers.get('mcp-protocol-version')).toBe('2026-07-28')
        expect(params['_meta']).toEqual({
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'app', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
        })
      }
    })

    it('report what is wrong with a task that is usable all the same', async () => {
      const { server, connection, issues } = setUp()
      server.on('tasks/get', snapshot({ pollIntervalMs: -1 }))
      await connection.getTask(TASK_ID)
      expect(issues.map(({ violation }) => violation)).toEqual(['pollIntervalMs is -1; ignored'])
    })
  })

  describe('another method answered by a task', () => {
    it('is refused, and no task is followed', async () => {
      const { server, connection } = setUp()
      server.on('tools/list', created())
      const error = await caught(connection.listTools())
      expect(error).toMatchObject({ code: 'UNSUPPORTED_RESULT_TYPE' })
      expect(server.received('tasks/*')).toEqual([])
    })
  })
})
