import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  type InputRequest,
  type TaskClient,
  type TaskClientUrlOptions,
  TaskProtocolError,
  type ToolCall,
  withTasks,
} from 'taskwire'
import { createSimulatedBrowser, createSimulatedEnvironment, type SimulatedPage } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient, describeFull, itFull } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  http,
  type Reply,
  result,
  rpcError,
  type ScriptedServer,
  type ScriptedServerOptions,
  silence,
  snapshot,
  task,
  unreachable,
} from '../support/scriptedServer.js'
import { collectGarbage, untilCollected } from '../support/untilCollected.js'

const URL_ = 'https://tasks.example/mcp'

function setUp(serverOptions?: ScriptedServerOptions) {
  const page = createSimulatedEnvironment()
  const server = createScriptedServer({ now: page.now, ...serverOptions })
  const reported: Error[] = []
  const open = (options: Partial<TaskClientUrlOptions> = {}) =>
    createTaskClient({
      url: URL_,
      transportOptions: { fetch: server.fetch },
      environment: page.environment,
      onError: (error) => reported.push(error),
      ...options,
    })
  server.on('tools/call', created())
  server.on('tasks/update', ack)
  server.on('tasks/cancel', ack)
  return { page, server, reported, open }
}

/** What became of a promise so far. */
function track(promise: Promise<unknown>): { result?: unknown; error?: unknown } {
  const outcome = {}
  promise.then(
    (value) => Object.assign(outcome, { result: value }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  return outcome
}

/** Makes a server speak MCP 2025-11-25. */
function speakLegacy(server: ScriptedServer): void {
  const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
  const info = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'old', version: '1' } }
  server.on('server/discover', rpcError(-32601, 'Method not found', { status: 400 }))
  server.on('initialize', result(info))
}

const form = (properties: Record<string, unknown>, message = 'Sure?'): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties } },
})
const asking = (inputRequests: Record<string, unknown>) => snapshot({ status: 'input_required', inputRequests })

describe('JSON that is nested a hundred thousand levels deep', () => {
  const DEEP = 'a value to be nested'

  /** The same response with lists within lists in the place of {@link DEEP}. */
  const deep =
    (reply: Reply, levels = 100_000): Reply =>
    async (request) => {
      const response = await reply(request)
      const text = (await response.text()).replace(JSON.stringify(DEEP), '['.repeat(levels) + ']'.repeat(levels))
      return new Response(text, response)
    }
  const done = { content: [{ type: 'text', text: 'done' }] }
  const question = form({ name: { type: 'string', default: DEEP } })

  const snapshots: [what: string, reply: Reply][] = [
    ['a question', asking({ name: question })],
    ['a result', completed({ result: { ...done, structuredContent: DEEP } })],
    ['a failure', snapshot({ status: 'failed', error: { code: 1, message: 'broken', data: DEEP } })],
  ]

  it.each(snapshots)('[EDGE-13] in %s is asked for again, and what comes then counts', async (_, reply) => {
    const { page, server, open } = setUp()
    server.on('tasks/get', deep(reply), deep(reply), completed())
    const outcome = track(open().callTool({ name: 'report' }))
    await page.advance(60_000)
    expect(outcome).toMatchObject({ result: done })
  })

  it.each(snapshots)(
    '[EDGE-13] in %s ends a call as a breach of the protocol where it comes again and again',
    async (_, reply) => {
      const { page, server, open } = setUp()
      server.on('tasks/get', deep(reply))
      const outcome = track(open().callTool({ name: 'report' }))
      await page.advance(60_000)
      expect(outcome.error).toBeInstanceOf(TaskProtocolError)
      expect(server.received('tasks/get')).toHaveLength(3)
    },
  )

  it.each(snapshots)(
    '[EDGE-13] in %s ends a call of withTasks() alone as a breach of the protocol',
    async (_, reply) => {
      const { page, server } = setUp()
      server.on('tasks/get', deep(reply))
      const client = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      const transport = new StreamableHTTPClientTransport(new URL(URL_), { fetch: server.fetch })
      await client.connect(withTasks(transport, { environment: page.environment }))
      const outcome = track(client.callTool({ name: 'report' }))
      await page.advance(60_000)
      expect(outcome.error).toBeInstanceOf(TaskProtocolError)
    },
  )

  const answers: [what: string, reply: Reply][] = [
    ['the result of a call', result({ ...done, structuredContent: DEEP })],
    ['a question before there is a task', result({ resultType: 'input_required', inputRequests: { name: question } })],
  ]

  it.each(answers)(
    '[EDGE-13] in %s ends the call as a breach of the protocol, in the other tabs, too',
    async (_, reply) => {
      const browser = createSimulatedBrowser()
      const server = createScriptedServer({ now: browser.now })
      server.on('tools/call', deep(reply))
      const calls = [browser.openPage(), browser.openPage()].map(({ environment }) =>
        track(
          createTaskClient({ url: URL_, transportOptions: { fetch: server.fetch }, environment }).callTool(
            { name: 'report' },
            { key: 'weekly' },
          ),
        ),
      )
      await browser.advance(60_000)
      for (const { error } of calls) expect(error).toMatchObject({ name: 'TaskProtocolError' })
      expect(server.received('tools/call')).toHaveLength(1)
    },
  )

  it('[EDGE-13] beside a new task is not looked at: the task is followed', async () => {
    const { page, server, open } = setUp()
    server.on('tools/call', deep(created({ _meta: { deep: DEEP } })))
    server.on('tasks/get', completed())
    const outcome = track(open().callTool({ name: 'report' }))
    await page.advance(60_000)
    expect(outcome).toMatchObject({ result: done })
  })

  it.each([-32021, -32602])('[EDGE-13] in the data of the error %d leaves the error what it is', async (code) => {
    const { page, server, open } = setUp()
    server.on('tools/call', deep(rpcError(code, 'no', { data: { why: DEEP } })))
    const outcome = track(open().callTool({ name: 'report' }, { key: 'weekly' }))
    await page.advance(60_000)
    expect(outcome.error).toMatchObject({ name: 'ToolCallRejectedError', code, data: undefined })
  })

  it('[EDGE-13] as causes in the data of an error holds nothing up', async () => {
    const { page, server, open } = setUp()
    const data = `${'{"cause":'.repeat(100_000)}{}${'}'.repeat(100_000)}`
    server.on('tools/call', async (request) => {
      const response = await rpcError(-32000, 'no', { data: DEEP })(request)
      return new Response((await response.text()).replace(JSON.stringify(DEEP), data), response)
    })
    const outcome = track(open().callTool({ name: 'report' }, { key: 'weekly' }))
    await page.advance(60_000)
    expect(outcome.error).toMatchObject({ name: 'ToolCallRejectedError', code: -32000, data: undefined })
  })

  it('[EDGE-13] is not what signs the user out: a cause in the data of an error is no answer with HTTP 401', async () => {
    const { page, server, open } = setUp()
    server.on('tools/call', rpcError(-32000, 'no', { data: { cause: { status: 401 } } }))
    const client = open()
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(1000)
    expect(outcome.error).toMatchObject({ name: 'ToolCallRejectedError', code: -32000 })
    expect(client.store.getState().connection.status).toBe('connected')
  })

  it('[EDGE-13] is what is refused: lists 400 levels deep are a result like any other', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/get', deep(completed({ result: { ...done, structuredContent: DEEP } }), 400))
    const outcome = track(open().callTool({ name: 'report' }, { key: 'weekly' }))
    await page.advance(60_000)
    expect(outcome).toMatchObject({ result: done })
  })
})

describe('the schema of an input request', () => {
  const answerOf = async (requestedSchema: Record<string, unknown>, content: Record<string, unknown>) => {
    const { page, server, open } = setUp()
    const request = { method: 'elicitation/create', params: { message: 'Well?', requestedSchema } }
    server.on('tasks/get', asking({ name: request }))
    const call = open().startToolCall({ name: 'report' })
    await page.advance(1000)
    const outcome = track(call.respond('name', { action: 'accept', content }))
    await page.advance(1000)
    return { outcome, sent: server.received('tasks/update').length }
  }
  const properties = (name: Record<string, unknown>) => ({ type: 'object', properties: { name } })
  /** Schemas that refer to each other, each to the next one twice: checking takes 2^40 steps. */
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`s${at}`, { allOf: Array(2).fill({ $ref: `#/$defs/s${at + 1}` }) }]),
  )

  it.each([
    ['a pattern', properties({ type: 'string', pattern: '^b*$' }), 'a'],
    ['a pattern that takes for ever', properties({ type: 'string', pattern: '^(a+)+$' }), `${'a'.repeat(60)}!`],
    ['a pattern for names', { type: 'object', patternProperties: { '^(n+a?m?e?)+$': { type: 'number' } } }, 'a'],
    ['patterns between which to choose', properties({ oneOf: [{ pattern: '^a' }, { pattern: '^b' }] }), 'a'],
    ['references', { ...properties({ $ref: '#/$defs/s0' }), $defs: { ...doubling, s40: { type: 'string' } } }, 'a'],
    ['a schema for the whole form', { ...properties({ type: 'string' }), not: {} }, 'a'],
  ])('[EDGE-13] leaves %s to the server', async (_, requestedSchema, name) => {
    expect(await answerOf(requestedSchema, { name })).toEqual({ outcome: { result: undefined }, sent: 1 })
  })

  it.each([
    ['a type', properties({ type: 'string' }), 7],
    ['a length', properties({ type: 'string', maxLength: 2 }), 'abc'],
    ['a range', properties({ type: 'integer', maximum: 2 }), 3],
    ['a choice', properties({ enum: ['a', 'b'] }), 'c'],
    ['a choice with titles', properties({ oneOf: [{ const: 'a', title: 'A' }] }), 'b'],
    ['choices', properties({ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }), ['b']],
    ['a format', properties({ type: 'string', format: 'date' }), 'tomorrow'],
    ['what is required', { ...properties({ type: 'string' }), required: ['pattern'] }, 'a'],
    ['a field called pattern', { type: 'object', properties: { name: {}, pattern: {} }, required: ['pattern'] }, 'a'],
  ])('[EDGE-13] holds a response to %s, as the specification has it', async (_, requestedSchema, name) => {
    const { outcome, sent } = await answerOf(requestedSchema, { name })
    expect(outcome.error).toMatchObject({ name: 'TaskInputError' })
    expect(sent).toBe(0)
  })
})

// These say what is not prevented: the validator of the SDK runs whatever patterns the server sends.
describeFull('the outputSchema of a tool', () => {
  it('[EDGE-13] has its patterns run by the SDK once the tools were listed, and not before', async () => {
    const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^b*$' } } }
    const tools = [{ name: 'report', inputSchema: { type: 'object' }, outputSchema }]
    const { page, server, open } = setUp({ tools })
    server.on('tasks/get', completed({ result: { content: [], structuredContent: { a: 'aaa' } } }))
    const client = open()
    const before = track(client.callTool({ name: 'report' }))
    await page.advance(2000)
    expect(before).toHaveProperty('result')
    await client.listTools()
    const after = track(client.callTool({ name: 'report' }))
    await page.advance(2000)
    expect(after.error).toMatchObject({ message: expect.stringContaining('pattern') })
  })

  it('[EDGE-13] has its patterns run by the SDK on a server of 2025-11-25, whose tools are listed before the first call', async () => {
    const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^b*$' } } }
    const { page, server, open } = setUp()
    speakLegacy(server)
    server.on('tools/list', result({ tools: [{ name: 'report', inputSchema: { type: 'object' }, outputSchema }] }))
    server.on('tools/call', result({ content: [], structuredContent: { a: 'aaa' } }))
    const client = open()
    await client.connect()
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(1000)
    expect(outcome.error).toMatchObject({ message: expect.stringContaining('pattern') })
  })
})

describe('an input request by URL', () => {
  it.each(['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//evil.example'])(
    '[EDGE-22] does not reach the app with the address %j',
    async (url) => {
      const question = { method: 'elicitation/create', params: { mode: 'url', message: 'Sign.', url } }
      const before = result({ resultType: 'input_required', inputRequests: { a: question }, requestState: 's' })
      for (const [toolsCall, tasksGet] of [
        [created(), asking({ a: question })],
        [before, snapshot()],
      ] as const) {
        const { page, server, open } = setUp()
        server.on('tools/call', toolsCall)
        server.on('tasks/get', tasksGet)
        const call = open().startToolCall({ name: 'report' })
        const outcome = track(call.result)
        const shown: number[] = []
        call.subscribe(({ inputRequests }) => shown.push(Object.keys(inputRequests).length))
        await page.advance(10_000)
        expect(outcome.error).toMatchObject({ name: expect.stringMatching(/^(TaskProtocolError|ProtocolError)$/) })
        expect(shown.every((count) => count === 0)).toBe(true)
      }
    },
  )
})

describe('a tools/call that the server leaves without a response', () => {
  const HOUR = 60 * 60_000
  const acceptedAs =
    (contentType: string, status = 202): Reply =>
    () =>
      new Response(status === 204 ? null : '', { status, headers: { 'content-type': contentType } })
  const silentStream: Reply = () =>
    new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
  const endlessJson: Reply = () =>
    new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{"jsonrpc":')) }), {
      headers: { 'content-type': 'application/json' },
    })
  const interrupted = { name: 'ToolCallInterruptedError', toolName: 'report' }

  it.each<[what: string, reply: Reply]>([
    ['202 and a stream', acceptedAs('text/event-stream')],
    ['202 and JSON', acceptedAs('application/json')],
    [
      '202 and the answer itself, which nobody reads',
      async (request) =>
        new Response((await result({ content: [] })(request)).body, {
          status: 202,
          headers: { 'content-type': 'application/json' },
        }),
    ],
    ['204 and the type of a stream', acceptedAs('text/event-stream', 204)],
    [
      'a message of its id that is no response',
      ({ id }) => Response.json({ jsonrpc: '2.0', id, method: 'tools/call' }),
    ],
  ])('[EDGE-05] ends at once after %s, since the tool may be running', async (_, reply) => {
    const { page, server, open } = setUp()
    server.on('tools/call', reply)
    const outcome = track(open().callTool({ name: 'report' }))
    await page.advance(0)
    expect(outcome.error).toMatchObject(interrupted)
  })

  itFull('[EDGE-05] ends at once after a 202 of MCP 2025-11-25', async () => {
    const { page, server, open } = setUp()
    speakLegacy(server)
    server.on('tools/call', acceptedAs('text/event-stream'))
    const client = open()
    await client.connect()
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(0)
    expect(outcome.error).toMatchObject(interrupted)
  })

  it('[EDGE-05] lets the other tabs make the call of its key as soon as it has ended', async () => {
    const browser = createSimulatedBrowser()
    const server = createScriptedServer({ now: browser.now })
    server.on('tools/call', acceptedAs('text/event-stream'), result({ content: [] }))
    const [here, there] = [browser.openPage(), browser.openPage()].map(({ environment }) =>
      createTaskClient({ url: URL_, transportOptions: { fetch: server.fetch }, environment }),
    )
    track(here?.callTool({ name: 'report' }, { key: 'weekly' }) ?? Promise.resolve())
    await browser.advance(1000)
    const outcome = track(there?.callTool({ name: 'report' }, { key: 'weekly', repeat: 'always' }) ?? Promise.resolve())
    await browser.advance(1000)
    expect(outcome).toEqual({ result: { content: [] } })
  })

  const silences: [what: string, reply: Reply][] = [
    ['a stream that stays silent', silentStream],
    ['JSON that never ends', endlessJson],
    ['nothing at all', silence],
  ]

  it.each(silences)('[EDGE-05] ends after an hour with %s', async (_, reply) => {
    const { page, server, open } = setUp()
    server.on('tools/call', reply)
    const client = open()
    const outcomes = [
      track(client.callTool({ name: 'report' }, { key: 'weekly' })),
      track(client.callToolRaw({ name: 'report' })),
    ]
    await page.advance(HOUR - 1)
    expect(outcomes).toEqual([{}, {}])
    await page.advance(1)
    for (const { error } of outcomes) expect(error).toMatchObject(interrupted)
    expect(page.timers()).toBe(0)
  })

  it('[EDGE-05] ends after callTimeoutMs', async () => {
    const { page, server, open } = setUp()
    server.on('tools/call', silence)
    const outcome = track(open({ callTimeoutMs: 5000 }).callTool({ name: 'report' }))
    await page.advance(4999)
    expect(outcome).toEqual({})
    await page.advance(1)
    expect(outcome.error).toMatchObject(interrupted)
  })

  itFull(
    '[EDGE-05] ends after the same time with an SDK client of the app, whose transport shows no status',
    async () => {
      const { page, server } = setUp()
      server.on('tools/call', acceptedAs('text/event-stream'))
      const sdk = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
      await sdk.connect(withTasks(new StreamableHTTPClientTransport(new URL(URL_), { fetch: server.fetch })))
      const client = createTaskClient({ client: sdk, environment: page.environment, callTimeoutMs: 5000 })
      const outcome = track(client.callTool({ name: 'report' }))
      await page.advance(5000)
      expect(outcome.error).toMatchObject(interrupted)
    },
  )

  itFull('[EDGE-05] ends after the same time with an SDK v1 client', async () => {
    const { page, server } = setUp()
    speakLegacy(server)
    server.on('tools/call', acceptedAs('text/event-stream'))
    const sdk = new ClientV1({ name: 'app', version: '1' })
    const transport = new TransportV1(new URL(URL_), { fetch: server.fetch as typeof fetch })
    // SDK v1 is not written for exactOptionalPropertyTypes.
    await sdk.connect(transport as Parameters<ClientV1['connect']>[0])
    const client = createTaskClient({ client: sdk, environment: page.environment, callTimeoutMs: 5000 })
    await client.connect()
    const outcome = track(client.callTool({ name: 'report' }))
    await page.advance(5000)
    expect(outcome.error).toMatchObject(interrupted)
  })

  it('[EDGE-05] waits for as long as a task takes, however long that is', async () => {
    const { page, server, open } = setUp()
    server.on('tools/call', created({ pollIntervalMs: 60_000 }))
    server.on('tasks/get', snapshot({ pollIntervalMs: 60_000 }))
    const outcome = track(open({ callTimeoutMs: 5000 }).callTool({ name: 'report' }))
    await page.advance(2 * HOUR)
    server.on('tasks/get', completed())
    await page.advance(60_000)
    expect(outcome).toHaveProperty('result')
  })

  it('[EDGE-05] waits for as long as somebody thinks over an input request, and counts anew after the response', async () => {
    const { page, server, open } = setUp()
    const inputRequests = { name: form({ name: { type: 'string' } }) }
    server.on('tools/call', result({ resultType: 'input_required', inputRequests, requestState: 's' }), silence)
    const call = open({ callTimeoutMs: 5000 }).startToolCall({ name: 'report' })
    const outcome = track(call.result)
    await page.advance(2 * HOUR)
    const [key = ''] = Object.keys(call.getState().inputRequests)
    await call.respond(key, { action: 'accept', content: { name: 'Ann' } })
    await page.advance(4999)
    expect(server.received('tools/call')).toHaveLength(2)
    expect(outcome).toEqual({})
    await page.advance(1)
    expect(outcome.error).toMatchObject(interrupted)
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    '[EDGE-05] cannot be waited for without a limit: callTimeoutMs %d',
    (callTimeoutMs) => {
      expect(() => createTaskClient({ url: URL_, callTimeoutMs })).toThrow(
        /callTimeoutMs is .*; it must be a number above 0/,
      )
    },
  )
})

/** The open input requests of a call, as something that does not keep them. */
const inputRequestsOf = (call: ToolCall) => Object.values(call.getState().inputRequests).map((one) => new WeakRef(one))

/** Text that the browser keeps for the origin, in characters. */
function storedSize({ environment }: Pick<SimulatedPage, 'environment'>): number {
  const storage = environment.storage('local')
  const keys = Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index) ?? '')
  return keys.reduce((size, key) => size + key.length + (storage?.getItem(key) ?? '').length, 0)
}

describe('what a server can have a page keep', () => {
  const MANY = 1000
  const yes = { action: 'accept', content: {} }
  /** What V8 takes for a date. */
  const endless = `2026-07-28 (${'x'.repeat(4_900_000)})`

  it.each(['createdAt', 'lastUpdatedAt'])('[EDGE-06] is no %s of millions of characters', async (name) => {
    const { page, server, reported, open } = setUp()
    server.on('tools/call', created({ [name]: endless }))
    server.on('tasks/get', snapshot({ [name]: endless }))
    const call = open().startToolCall({ name: 'report' }, { key: 'weekly' })
    await page.advance(5000)
    expect(call.getState().phase).toBe('working')
    expect(storedSize(page)).toBeLessThan(2000)
    expect(JSON.stringify(call.getState()).length).toBeLessThan(2000)
    expect(reported[0]).toMatchObject({ violation: `${name} is not an ISO 8601 timestamp` })
  })

  it('[EDGE-06] is no createdAt of millions of characters that another version of this page has kept', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/get', snapshot())
    open().startToolCall({ name: 'report' }, { key: 'weekly' })
    await page.advance(500)
    const storage = page.environment.storage('local')
    const key = storage?.key(0) ?? ''
    storage?.setItem(key, (storage.getItem(key) ?? '').replaceAll('2026-07-28T00:00:00Z', endless))
    expect(storedSize(page)).toBeGreaterThan(4_900_000)
    const [call] = await open().resumeToolCalls()
    await page.advance(5000)
    await page.hidePage()
    expect(call?.getState()).toMatchObject({ phase: 'working' })
    expect(storedSize(page)).toBeLessThan(2000)
  })

  it('[EDGE-06] is no task id of millions of characters: the call ends, and no record names the task', async () => {
    const { page, server, open } = setUp()
    server.on('tools/call', created({ taskId: 'x'.repeat(4_900_000) }))
    const outcome = track(open().callTool({ name: 'report' }, { key: 'weekly' }))
    await page.advance(5000)
    expect(outcome.error).toMatchObject({ name: 'TaskProtocolError', violation: 'the taskId is too long' })
    expect(storedSize(page)).toBeLessThan(2000)
  })

  itFull(
    '[EDGE-06] is no session of 2025-11-25 of hundreds of thousands of characters, which ids of tasks name',
    async () => {
      const { page, server, open } = setUp()
      speakLegacy(server)
      server.on('initialize', async (request) => {
        const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
        const info = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'old', version: '1' } }
        const response = await result(info)(request)
        response.headers.set('mcp-session-id', 's'.repeat(200_000))
        return response
      })
      const report = { name: 'report', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }
      server.on('tools/list', result({ tools: [report] }))
      server.on('tools/call', result({ task: task({ ttl: null, pollInterval: 1000 }) }))
      const client = open()
      await client.connect()
      const outcome = track(client.callTool({ name: 'report' }, { key: 'weekly' }))
      await page.advance(5000)
      expect(outcome.error).toMatchObject({ name: 'TaskProtocolError' })
      const session = page.environment.storage('session')
      expect([storedSize(page) < 2000, session?.length]).toEqual([true, 0])
    },
  )

  it.each([
    '2026-07-28T00:00:00Z',
    '2026-07-28T00:00:00.123456789+02:00',
    '2026-07-28T00:00:00',
    '2026-07-28T00:00Z',
    '20260728T000000Z',
    '2026-07-28',
  ])('[EDGE-06] is a createdAt like %s, or none at all', async (createdAt) => {
    const { page, server, reported, open } = setUp()
    server.on('tools/call', created({ createdAt }))
    server.on('tasks/get', snapshot())
    const call = open().startToolCall({ name: 'report' })
    await page.advance(500)
    const isKept = createdAt.includes('-')
    expect(call.getState().task?.createdAt).toBe(isKept ? createdAt : '')
    expect(reported).toHaveLength(isKept ? 0 : 1)
  })

  it('[EDGE-06] is no record of every input request that was ever answered', async () => {
    const { page, server, open } = setUp()
    let round = 0
    server.on('tasks/get', (request) => {
      round += 1
      const keys = Array.from({ length: 100 }, (_, index) => `${round}-${index}-${'k'.repeat(230)}`)
      return asking(Object.fromEntries(keys.map((key) => [key, form({})])))(request)
    })
    open({ input: { handlers: { elicitation: () => yes } } }).startToolCall({ name: 'report' }, { key: 'weekly' })
    await page.advance(8000)
    expect(server.received('tasks/update')).toHaveLength(800)
    expect(storedSize(page)).toBeGreaterThan(100_000)
    expect(storedSize(page)).toBeLessThan(200_000)
  })

  it('[EDGE-06] is no record of every input request that was ever answered, where the responses of two tabs meet', async () => {
    const browser = createSimulatedBrowser()
    const server = createScriptedServer({ now: browser.now })
    let round = 0
    server.on('tools/call', created())
    server.on('tasks/update', ack)
    server.on('tasks/get', (request) => {
      round += 1
      const keys = Array.from({ length: 100 }, (_, index) => `${round}-${index}-${'k'.repeat(230)}`)
      return asking(Object.fromEntries(keys.map((key) => [key, form({})])))(request)
    })
    const pages = [browser.openPage(), browser.openPage()]
    for (const { environment } of pages) {
      createTaskClient({
        url: URL_,
        transportOptions: { fetch: server.fetch },
        environment,
        input: { handlers: { elicitation: () => yes } },
      }).startToolCall({ name: 'report' }, { key: 'weekly' })
    }
    await browser.advance(8000)
    expect(server.received('tasks/update').length).toBeGreaterThanOrEqual(700)
    for (const page of pages) expect(storedSize(page)).toBeLessThan(200_000)
  })

  it.each([
    ['of 1 kB', 'k'.repeat(1024)],
    ['that takes 1 kB as JSON', '\u0000'.repeat(170)],
  ])('[EDGE-06] is no key %s: the input request is left out, and the others are asked', async (_, key) => {
    const { page, server, reported, open } = setUp()
    server.on('tasks/get', asking({ [key]: form({}), other: form({}) }))
    const call = open().startToolCall({ name: 'report' })
    await page.advance(1000)
    expect(Object.keys(call.getState().inputRequests)).toEqual(['other'])
    expect(reported).toMatchObject([{ violation: 'an input request has a key that is too long' }])
  })

  it('[EDGE-06] is not more than 256 input requests at once: the others have their turn when those are answered', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/get', asking(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`q${at}`, form({})]))))
    const call = open().startToolCall({ name: 'report' })
    await page.advance(2000)
    expect(Object.keys(call.getState().inputRequests)).toHaveLength(256)
    await Promise.all(Array.from({ length: 100 }, (_, at) => call.respond(`q${at}`, yes)))
    expect(Object.keys(call.getState().inputRequests)).toHaveLength(156)
    await page.advance(1000)
    expect(Object.keys(call.getState().inputRequests)).toHaveLength(200)
  })

  it('[EDGE-11] is one tasks/update for each of 1,000 input requests in one snapshot, six at a time', async () => {
    const { page, server, open } = setUp()
    const keys = Array.from({ length: MANY }, (_, at) => `q${at}`)
    const answered = new Map<string, number>()
    let underWay = 0
    let most = 0
    server.on('tasks/get', asking(Object.fromEntries(keys.map((key) => [key, form({})]))))
    server.on('tasks/update', async (request) => {
      underWay += 1
      most = Math.max(most, underWay)
      for (const key of Object.keys(request.params['inputResponses'] as object)) {
        answered.set(key, (answered.get(key) ?? 0) + 1)
      }
      await Promise.resolve()
      underWay -= 1
      return ack(request)
    })
    open({ input: { handlers: { elicitation: () => yes } } }).startToolCall({ name: 'report' })
    await page.advance(14_000)
    expect([...answered.keys()].sort()).toEqual([...keys].sort())
    expect(new Set(answered.values())).toEqual(new Set([1]))
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(6)
  })

  it('[EDGE-11] is no response that waits so long for its turn that it counts as lost', async () => {
    const { page, server, reported, open } = setUp()
    server.on('tasks/get', asking(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`q${at}`, form({})]))))
    server.on('tasks/update', async (request) => {
      await new Promise<void>((resolve) => page.environment.setTimeout(resolve, 20_000))
      return ack(request)
    })
    open({ input: { handlers: { elicitation: () => yes } } }).startToolCall({ name: 'report' })
    await page.advance(10 * 60_000)
    expect(server.received('tasks/update')).toHaveLength(60)
    expect(reported).toEqual([])
  })

  it.each([
    ['with a handler', { elicitation: () => new Promise<never>(() => {}) }],
    ['without a handler', {}],
  ])('[EDGE-11] is no input request %s that was withdrawn', async (_, handlers) => {
    const { page, server, open } = setUp()
    const asked: WeakRef<object>[] = []
    server.on('tasks/get', asking({ a: form({}, 'x'.repeat(1_000_000)) }), snapshot())
    const client = open({
      input: {
        handlers: {
          ...('elicitation' in handlers && {
            elicitation: (request) => {
              asked.push(new WeakRef(request))
              return handlers.elicitation()
            },
          }),
        },
      },
    })
    const call = client.startToolCall({ name: 'report' })
    await page.advance(1000)
    asked.push(...inputRequestsOf(call))
    expect(asked.map((one) => one.deref())).toMatchObject([{ method: 'elicitation/create' }])
    await page.advance(3000)
    expect(call.getState().phase).toBe('working')
    expect(await untilCollected(asked)).toEqual([])
    await expect(call.respond('a', yes)).rejects.toThrow('withdrawn')
  })

  it('[EDGE-11] is no input request that was answered and is asked no more, but its key', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/get', asking({ a: form({}) }), snapshot(), asking({ a: form({}) }))
    const call = open().startToolCall({ name: 'report' })
    await page.advance(1000)
    const [asked] = inputRequestsOf(call)
    expect(asked?.deref()).toMatchObject({ method: 'elicitation/create' })
    await call.respond('a', yes)
    await page.advance(1000)
    expect(call.getState().phase).toBe('working')
    expect(await untilCollected([asked])).toEqual([])
    await page.advance(5000)
    expect(call.getState().inputRequests).toEqual({})
    await expect(call.respond('a', yes)).rejects.toThrow('has been answered')
    expect(server.received('tasks/update')).toHaveLength(1)
  })
})

describe('a server that asks to be left alone for weeks', () => {
  const DAY = 24 * 60 * 60_000

  it.each<[what: string, reply: Reply]>([
    ['Retry-After in seconds', http(503, { headers: { 'retry-after': `${21 * 24 * 3600}` } })],
    ['Retry-After as a date', http(429, { headers: { 'retry-after': 'Tue, 18 Aug 2026 00:00:00 GMT' } })],
    ['pollIntervalMs', snapshot({ pollIntervalMs: 21 * DAY })],
  ])('[EDGE-13] by %s is polled after a day', async (_, reply) => {
    const { page, server, open } = setUp()
    const start = page.now()
    server.on('tasks/get', reply, completed())
    const outcome = track(open().callTool({ name: 'report' }))
    await page.advance(DAY)
    expect(outcome).toEqual({})
    await page.advance(1000)
    expect(outcome).toHaveProperty('result')
    expect(server.times('tasks/get', start)).toEqual([1000, 1000 + DAY])
  })

  it('[EDGE-13] by Retry-After for a response is sent it again after a day', async () => {
    const { page, server, open } = setUp()
    server.on(
      'tasks/get',
      snapshot({ status: 'input_required', inputRequests: { a: form({}) }, pollIntervalMs: DAY / 24 }),
    )
    server.on('tasks/update', http(503, { headers: { 'retry-after': `${21 * 24 * 3600}` } }), ack)
    const call = open().startToolCall({ name: 'report' })
    await page.advance(1000)
    const outcome = track(call.respond('a', { action: 'decline' }))
    await page.advance(DAY - 1)
    expect(outcome).toEqual({})
    await page.advance(1)
    expect(outcome).toHaveProperty('result')
  })
})

describe('a task that the app names and the server answers with -32603', () => {
  const broken = rpcError(-32603, 'Internal error')
  const unknown = { name: 'TaskExpiredError', reason: 'unknown-task' }

  it('[EDGE-21] is given up after ten such responses where it was never seen', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/get', broken)
    const client = open()
    const outcome = track(client.resumeTask('task-unknown-1').result)
    await page.advance(60 * 60_000)
    expect(outcome.error).toMatchObject({ ...unknown, cause: { name: 'TaskRequestError', code: -32603 } })
    expect(server.received('tasks/get')).toHaveLength(10)
    expect(await client.resumeToolCalls()).toEqual([])
  })

  it('[EDGE-21] is given up where the network breaks in between: those failures do not count', async () => {
    const { page, server, open } = setUp()
    server.on(
      'tasks/get',
      broken,
      unreachable,
      http(503),
      broken,
      broken,
      broken,
      broken,
      broken,
      broken,
      broken,
      broken,
      broken,
      completed(),
    )
    const outcome = track(open().resumeTask('task-unknown-1').result)
    await page.advance(60 * 60_000)
    expect(outcome.error).toMatchObject(unknown)
    expect(server.received('tasks/get')).toHaveLength(12)
  })

  it('[EDGE-21] is given up by all tabs after ten responses in all', async () => {
    const browser = createSimulatedBrowser()
    const server = createScriptedServer({ now: browser.now })
    server.on('tasks/get', broken)
    const outcomes = [browser.openPage(), browser.openPage()].map(({ environment }) =>
      track(
        createTaskClient({ url: URL_, transportOptions: { fetch: server.fetch }, environment }).resumeTask(
          'task-unknown-1',
        ).result,
      ),
    )
    await browser.advance(60 * 60_000)
    for (const { error } of outcomes) expect(error).toMatchObject(unknown)
    expect(server.received('tasks/get')).toHaveLength(10)
  })

  it('[EDGE-21] is given up as well after a reload, before which it was never seen', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/get', broken)
    const first = open()
    first.resumeTask('task-unknown-1')
    await page.advance(2000)
    await first.close()
    const [call] = await open().resumeToolCalls()
    const outcome = track(call?.result ?? Promise.resolve())
    await page.advance(60 * 60_000)
    expect(outcome.error).toMatchObject(unknown)
  })

  it.each<[what: string, first: Reply]>([
    ['in this visit', snapshot()],
    ['by a stamp that cannot be read', snapshot({ createdAt: '', lastUpdatedAt: '' })],
  ])('[EDGE-21] is asked for on and on where it was seen %s', async (_, first) => {
    const { page, server, open } = setUp()
    server.on('tasks/get', first, broken)
    const outcome = track(open().resumeTask('task-secret-1').result)
    await page.advance(60 * 60_000)
    expect(outcome).toEqual({})
    server.on('tasks/get', completed())
    await page.advance(60_000)
    expect(outcome).toHaveProperty('result')
  })

  it('[EDGE-21] is asked for on and on where it was created here, also after a reload', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/get', broken)
    const first = open()
    first.startToolCall({ name: 'report' }, { key: 'weekly' })
    await page.advance(30 * 60_000)
    await first.close()
    const [call] = await open().resumeToolCalls()
    const outcome = track(call?.result ?? Promise.resolve())
    await page.advance(60 * 60_000)
    expect(outcome).toEqual({})
    server.on('tasks/get', completed())
    await page.advance(60_000)
    expect(outcome).toHaveProperty('result')
  })
})

describeFull('the tasks/result that a task of MCP 2025-11-25 asks by', () => {
  const legacyTask = (changes = {}) => task({ ttl: null, pollInterval: 1000, ...changes })
  const report = { name: 'report', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }

  function setUpLegacy() {
    const scene = setUp()
    const { server } = scene
    speakLegacy(server)
    server.on('tools/list', result({ tools: [report] }))
    server.on('tools/call', result({ task: legacyTask() }))
    server.on('tasks/get', result(legacyTask({ status: 'input_required' })))
    server.on('tasks/result', silence)
    const isOpen = () => server.received('tasks/result').some(({ signal }) => signal?.aborted === false)
    const openClient = async (options?: Partial<TaskClientUrlOptions>) => {
      const client = scene.open(options)
      // What the earlier revisions need is loaded first, which takes more than simulated time.
      await client.connect()
      return client
    }
    return { ...scene, isOpen, openClient }
  }

  it.each<[what: string, options: Partial<TaskClientUrlOptions>, end: (client: TaskClient, call: ToolCall) => unknown]>(
    [
      ['forget()', {}, (client) => client.forget()],
      ['forget({ callId })', {}, (client, { callId }) => client.forget({ callId })],
      ["detach() with resume: 'lazy'", { resume: 'lazy' }, (_, call) => call.detach()],
    ],
  )('[EDGE-13] is closed by %s, and the server is told', async (_, options, end) => {
    const { page, server, isOpen, openClient } = setUpLegacy()
    const client = await openClient(options)
    const call = client.startToolCall({ name: 'report' }, { key: 'weekly' })
    await page.advance(2500)
    expect(isOpen()).toBe(true)
    await Promise.all([end(client, call), page.advance(60_000)])
    expect(isOpen()).toBe(false)
    expect(server.received('notifications/cancelled')).toHaveLength(1)
    expect(server.received('tasks/result')).toHaveLength(1)
  })

  it("[EDGE-13] is opened again when somebody waits for the call again, with resume: 'lazy'", async () => {
    const { page, isOpen, openClient } = setUpLegacy()
    const client = await openClient({ resume: 'lazy' })
    const call = client.startToolCall({ name: 'report' }, { key: 'weekly' })
    await page.advance(2500)
    call.detach()
    await page.advance(60_000)
    expect(isOpen()).toBe(false)
    client.startToolCall({ name: 'report' }, { key: 'weekly' })
    await page.advance(2500)
    expect(isOpen()).toBe(true)
  })
})

it("[EDGE-13] a call that has ended leaves nothing behind of the election of the tab that followed it, with resume: 'lazy'", async () => {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', completed())
  const { environment } = browser.openPage()
  /** What the page gave for taking its listeners away again. */
  const given: WeakRef<() => void>[] = []
  const client = createTaskClient({
    url: URL_,
    transportOptions: { fetch: server.fetch },
    resume: 'lazy',
    environment: {
      ...environment,
      onPageHide: (listener) => {
        const unsubscribe = environment.onPageHide(listener)
        const own = () => unsubscribe()
        given.push(new WeakRef(own))
        return own
      },
    },
  })
  const call = async () => {
    const { callId } = client.startToolCall({ name: 'report' })
    await browser.advance(5000)
    await client.forget({ callId })
    await browser.advance(5000)
  }
  const kept = () => {
    collectGarbage()
    return given.filter((one) => one.deref() !== undefined).length
  }
  await call()
  const keptAtFirst = kept()
  for (let more = 0; more < 10; more++) await call()
  expect(given.length).toBeGreaterThan(10)
  // Ten calls would leave ten behind. The engine itself may still hold what the last one has touched.
  expect(kept() - keptAtFirst).toBeLessThan(5)
})
