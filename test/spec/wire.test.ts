import { type TaskClient, type TaskClientUrlOptions, TaskProtocolError } from 'taskwire'
import { createSimulatedEnvironment, type SimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  type Reply,
  result,
  rpcError,
  type ScriptedRequest,
  type ScriptedServer,
  snapshot,
  TASKS,
  task,
} from '../support/scriptedServer.js'

let page: SimulatedEnvironment
let server: ScriptedServer
let client: TaskClient

const open = (options: Partial<TaskClientUrlOptions> = {}): TaskClient =>
  createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    ...options,
  })

const FORM = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}
const ACCEPT = { action: 'accept', content: {} }

beforeEach(() => {
  page = createSimulatedEnvironment()
  server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { a: FORM } }))
  server.on('tasks/update', ack)
  server.on('tasks/cancel', ack)
  client = open()
})

/** Everything that a client sends in the course of a task. */
const METHODS = [
  'server/discover',
  'tools/list',
  'tools/call',
  'subscriptions/listen',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
]

async function useEverything(): Promise<void> {
  await client.listTools()
  const call = client.startToolCall({ name: 'deploy' })
  await page.advance(1000)
  await call.respond('a', ACCEPT)
  await call.cancel()
  await page.advance(1000)
}

describe('every request in the course of a task', () => {
  beforeEach(useEverything)

  it('[EDGE-23] is looked at by the tests below', () => {
    expect(new Set(server.requests.map(({ method }) => method))).toEqual(new Set(METHODS))
  })

  // [TASK-DECLARE] [CORE-CAPABILITIES-DECLARED]
  it('[EDGE-23] declares the extension and what the client can be asked, in the envelope of the request itself', () => {
    for (const { params } of server.requests) {
      expect(params['_meta']).toMatchObject({
        'io.modelcontextprotocol/clientCapabilities': {
          elicitation: { form: {}, url: {} },
          extensions: { [TASKS]: {} },
        },
      })
      expect(params['_meta']).not.toHaveProperty(TASKS)
    }
  })

  // [CORE-CAPABILITIES-DECLARED]
  it('[EDGE-23] declares sampling and roots where there are handlers or capabilities for them, and not otherwise', async () => {
    const capabilities = () =>
      server.requests.map(({ params }) => (params['_meta'] as Record<string, object>)[CAPABILITIES])
    for (const declared of capabilities()) expect(Object.keys(declared ?? {})).not.toContain('sampling')
    await client.close()
    const before = server.requests.length
    client = open({ input: { handlers: { sampling: () => ({}) } }, capabilities: { roots: {} } })
    await useEverything()
    expect(server.requests.length).toBeGreaterThan(before + 5)
    for (const declared of capabilities().slice(before)) expect(declared).toMatchObject({ sampling: {}, roots: {} })
  })

  // [TASK-METHOD-HEADER]
  it('[EDGE-23] carries its method in the header Mcp-Method', () => {
    for (const { method, headers } of server.requests) expect(headers.get('mcp-method')).toBe(method)
  })

  // [CORE-VERSION-HEADER]
  it('[EDGE-23] carries the protocol version in a header, the same as in its envelope', () => {
    for (const { headers, params } of server.requests) {
      expect(headers.get('mcp-protocol-version')).toBe('2026-07-28')
      expect(params['_meta']).toMatchObject({ 'io.modelcontextprotocol/protocolVersion': '2026-07-28' })
    }
  })

  // [CORE-CLIENT-INFO]
  it('[EDGE-23] says which client it comes from', () => {
    for (const { params } of server.requests) {
      expect(params['_meta']).toMatchObject({
        'io.modelcontextprotocol/clientInfo': { name: 'taskwire', version: expect.any(String) },
      })
    }
  })

  // [CORE-REQUEST-ID]
  it('[EDGE-23] has an id that no other request has', () => {
    expect(new Set(server.requests.map(({ id }) => id)).size).toBe(server.requests.length)
  })
})

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

describe('arguments that a tool designates for headers', () => {
  const properties = {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    place: { type: 'object', properties: { floor: { type: 'integer', 'x-mcp-header': 'Floor' } } },
    isDry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    note: { type: 'string', 'x-mcp-header': 'Note' },
    plain: { type: 'string' },
  }
  const deploy = { name: 'deploy', inputSchema: { type: 'object', properties } }
  const wrong = {
    name: 'wrong',
    inputSchema: { type: 'object', properties: { a: { ...properties.region, type: 'object' } } },
  }
  const args = { region: 'Zürich', place: { floor: 3 }, isDry: false, note: null, plain: 'p' }
  const sent = { region: '=?base64?WsO8cmljaA==?=', floor: '3', 'dry-run': 'false', note: null, plain: null }
  const paramsOf = ({ headers }: ScriptedRequest) =>
    Object.fromEntries(Object.keys(sent).map((name) => [name, headers.get(`mcp-param-${name}`)]))

  beforeEach(() => {
    server = createScriptedServer({ now: page.now, tools: [deploy, wrong] })
    server.on('tools/call', created())
    server.on('tasks/get', completed())
    client = open()
  })

  it('[EDGE-49] [CORE-PARAM-HEADERS] are in them once the tool was listed, and a tool that designates wrongly is left out', async () => {
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['deploy'])
    client.startToolCall({ name: 'deploy', arguments: args })
    await page.advance(5000)
    expect(server.received('tools/call').map(paramsOf)).toEqual([sent])
    for (const poll of server.received('tasks/get')) expect(paramsOf(poll).region).toBeNull()
  })

  it('[EDGE-49] [CORE-PARAM-HEADERS] are in them after the server has missed them where the tool was not listed', async () => {
    const missing = rpcError(-32020, 'Header mismatch: Mcp-Param-Region is missing', { status: 400 })
    server.on('tools/call', missing, created())
    const call = client.startToolCall({ name: 'deploy', arguments: args })
    await page.advance(5000)
    await expect(call.result).resolves.toBeDefined()
    const [, second, ...others] = server.received('tools/call')
    expect(second && paramsOf(second)).toEqual(sent)
    expect(others).toEqual([])
  })

  it('[EDGE-49] are in them after the server has missed them where the tool was listed before it asked for them', async () => {
    const listed = (tool: object) => result({ tools: [tool], ttlMs: 0, cacheScope: 'private' })
    server.on('tools/list', listed({ ...deploy, inputSchema: { type: 'object' } }), listed(deploy))
    await client.listTools()
    server.on('tools/call', rpcError(-32020, 'Header mismatch', { status: 400 }), created())
    const call = client.startToolCall({ name: 'deploy', arguments: args })
    await page.advance(5000)
    await expect(call.result).resolves.toBeDefined()
    expect(server.received('tools/call').map(paramsOf)[1]).toEqual(sent)
  })

  it('[EDGE-49] are asked for once: a server that still misses them refuses the call', async () => {
    server.on('tools/call', rpcError(-32020, 'Header mismatch', { status: 400 }))
    const call = client.startToolCall({ name: 'deploy', arguments: args })
    const rejected = expect(call.result).rejects.toMatchObject({ name: 'ToolCallRejectedError', code: -32020 })
    await page.advance(5000)
    await rejected
    expect(server.received('tools/call')).toHaveLength(2)
  })
})

describe('the header Mcp-Name', () => {
  const base64 = (text: string) => `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`

  // [CORE-NAME-ENCODING] [TASK-NAME-HEADER]
  it.each([
    ['plain ASCII', '786512e2-9e0d', '786512e2-9e0d'],
    ['characters that are none of ASCII', 'tâche-世界', base64('tâche-世界')],
    ['spaces at its ends', ' padded ', base64(' padded ')],
    ['a line break', 'a\r\nX-Injected: 1', base64('a\r\nX-Injected: 1')],
    ['a NUL', 'a\0b', base64('a\0b')],
    ['the look of an encoded value', '=?base64?literal?=', base64('=?base64?literal?=')],
  ])('[EDGE-23] carries a task id of %s in a form that every server can read', async (_, taskId, header) => {
    const own = { taskId }
    server.on('tools/call', created(own))
    server.on('tasks/get', snapshot({ ...own, status: 'input_required', inputRequests: { a: FORM } }))
    await useEverything()
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const [request] = server.received(method)
      expect(request?.params['taskId']).toBe(taskId)
      expect(request?.headers.get('mcp-name')).toBe(header)
      expect(request?.headers.has('x-injected')).toBe(false)
    }
  })

  // [CORE-NAME-ENCODING]
  it('[EDGE-23] carries the name of a tool in the same form', async () => {
    client.startToolCall({ name: 'größe' })
    await page.advance(0)
    expect(server.received('tools/call')[0]?.headers.get('mcp-name')).toBe(base64('größe'))
  })
})

/** A response with this `resultType`, or without one. */
const typed =
  (members: Record<string, unknown>, resultType: unknown): Reply =>
  ({ id }) =>
    Response.json({ jsonrpc: '2.0', id, result: { ...members, ...(resultType !== undefined && { resultType }) } })

const DONE = { ...task(), status: 'completed', result: { content: [] } }

// [CORE-RESULT-TYPE-ABSENT]
describe('a response without a resultType counts as complete', () => {
  it('[EDGE-23] to tools/call', async () => {
    server.on('tools/call', typed({ content: [{ type: 'text', text: 'plain' }] }, undefined))
    const call = client.startToolCall({ name: 'echo' })
    await page.advance(1000)
    await expect(call.result).resolves.toEqual({ content: [{ type: 'text', text: 'plain' }] })
  })

  it('[EDGE-23] to tasks/get', async () => {
    server.on('tasks/get', typed(DONE, undefined))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await expect(call.result).resolves.toEqual({ content: [] })
  })

  it('[EDGE-23] to tasks/update and tasks/cancel', async () => {
    server.on('tasks/update', typed({}, undefined))
    server.on('tasks/cancel', typed({}, undefined))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await call.respond('a', ACCEPT)
    await call.cancel()
    expect(call.getState()).toMatchObject({ isCancelling: true })
    expect(call.getState().inputRequests).toEqual({})
  })
})

// [CORE-RESULT-TYPE-UNKNOWN]
describe.each(['later', 'task ', 7, null])('a response with the resultType %j is invalid', (resultType) => {
  it('[EDGE-23] to tools/call', async () => {
    server.on('tools/call', typed({ ...task(), content: [] }, resultType))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(10_000)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: expect.any(Error) })
    expect(server.received('tasks/get')).toEqual([])
  })

  it('[EDGE-23] to tasks/get', async () => {
    server.on('tasks/get', typed(DONE, resultType))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(10_000)
    await expect(call.result).rejects.toThrow(TaskProtocolError)
  })

  it('[EDGE-23] to tasks/get once among good ones, and is asked for again', async () => {
    server.on('tasks/get', typed(DONE, resultType), completed())
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(10_000)
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
  })

  it('[EDGE-23] to tasks/update and tasks/cancel, and nothing counts as done', async () => {
    server.on('tasks/update', typed({}, resultType))
    server.on('tasks/cancel', typed({}, resultType))
    const call = client.startToolCall({ name: 'deploy' })
    await page.advance(1000)
    await expect(call.respond('a', ACCEPT)).rejects.toThrow(TaskProtocolError)
    await expect(call.cancel()).rejects.toThrow(TaskProtocolError)
    expect(call.getState()).toMatchObject({ inputRequests: { a: {} }, isCancelling: false })
  })
})

// [TASK-UNSUPPORTED-METHOD]
it('[EDGE-23] a task in response to tasks/get, tasks/update or tasks/cancel is an invalid response', async () => {
  const call = client.startToolCall({ name: 'deploy' })
  await page.advance(1000)
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) server.on(method, typed(DONE, 'task'))
  await expect(call.respond('a', ACCEPT)).rejects.toThrow(TaskProtocolError)
  await expect(call.cancel()).rejects.toThrow(TaskProtocolError)
  await page.advance(10_000)
  await expect(call.result).rejects.toThrow(TaskProtocolError)
})
