import { inspect } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  type TaskClientUrlOptions,
  TaskError,
  TaskFailedError,
  TaskProtocolError,
  TaskRequestError,
  ToolCallRejectedError,
  withTasks,
} from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient, describeFull } from '../support/anyClient.js'
import {
  created,
  createScriptedServer,
  http,
  type Reply,
  result,
  rpcError,
  type ScriptedServerOptions,
  snapshot,
  task,
} from '../support/scriptedServer.js'

const URL_ = 'https://tasks.example/mcp'
const TASK_ID = 'task-secret-1'
/** What every error is kept to, with what Taskwire says around it. */
const SCREENFUL = 5000

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
  return { page, server, reported, open }
}

/** What the promise rejects with, an hour later. */
async function errorOf(page: { advance(ms: number): Promise<void> }, promise: Promise<unknown>): Promise<TaskError> {
  let error: unknown
  promise.catch((thrown: unknown) => {
    error = thrown
  })
  await page.advance(60 * 60_000)
  if (!(error instanceof TaskError)) throw new Error(`It is no TaskError: ${String(error)}`)
  return error
}

/** What `console.error` and an error tracker make of an error. */
const printed = (error: Error) => inspect(error, { depth: 20 }) + JSON.stringify(error)

/** A JSON-RPC error in the words of the server, with an HTTP status of its own. */
const refusal = (message: string, status: number, data?: unknown) =>
  rpcError(-32603, message, { status, ...(data !== undefined && { data }) })

describe('a text of the server', () => {
  const long = (words: string) => words.repeat(Math.ceil(2_000_000 / words.length))

  it('[EDGE-01] is searched for the task id in linear time, however often it repeats the id', async () => {
    const { page, server, reported, open } = setUp()
    server.on('tools/call', created({ taskId: 'abcdefgh' }))
    server.on('tasks/get', rpcError(-32603, long('abcdefgh ')), snapshot({ taskId: 'abcdefgh', status: 'cancelled' }))
    await errorOf(page, open().callTool({ name: 'report' }))
    expect(reported).toHaveLength(1)
    expect(reported[0]?.message).toMatch(/^The server answered tasks\/get with an error: (\[task\] )+/)
  })

  it('[EDGE-01] is searched in linear time where the error was made by the app', () => {
    const error = new TaskError(long('abcdefgh '), { taskId: 'abcdefgh' })
    expect(error.message).not.toContain('abcdefgh')
  })

  it.each<[what: string, tasksGet: Reply]>([
    ['a JSON-RPC error', rpcError(-32603, long('word '))],
    ['a JSON-RPC error that says that there are no tasks', rpcError(-32601, long('word '))],
    ['a JSON-RPC error with HTTP 400', refusal(long('word '), 400)],
    ['a failed task', snapshot({ status: 'failed', error: { code: 1, message: long('word ') } })],
    ['a cancelled task', snapshot({ status: 'cancelled', statusMessage: long('word ') })],
    ['a status that there is not', snapshot({ status: long('word ') })],
    ['a network that broke', () => Promise.reject(new TypeError(long('word ')))],
  ])('[EDGE-01] is cut in %s', async (_, tasksGet) => {
    const { page, server, open } = setUp()
    server.on('tasks/get', tasksGet)
    const error = await errorOf(page, open({ retry: { maxAttempts: 3 } }).callTool({ name: 'report' }))
    expect(JSON.stringify(error).length).toBeLessThan(3 * SCREENFUL)
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      expect(cause.message.length).toBeLessThan(SCREENFUL)
    }
  })

  it.each<[what: string, toolsCall: Reply]>([
    ['a JSON-RPC error', rpcError(-32602, long('word '))],
    ['a JSON-RPC error with HTTP 400', refusal(long('word '), 400)],
  ])('[EDGE-01] is cut in %s that refuses a call', async (_, toolsCall) => {
    const { page, server, open } = setUp()
    server.on('tools/call', toolsCall)
    const error = await errorOf(page, open().callTool({ name: 'report' }))
    expect(error).toBeInstanceOf(ToolCallRejectedError)
    expect(error.message.length).toBeLessThan(SCREENFUL)
    expect(JSON.stringify(error).length).toBeLessThan(3 * SCREENFUL)
    expect(error.message).toMatch(/word/)
  })

  // This says what is not prevented: without a task there is no id to be taken out, and no copy is made.
  it('[EDGE-01] is left as the SDK has it in the cause of an error without a task', async () => {
    const { page, server, open } = setUp()
    server.on('tools/call', rpcError(-32602, long('word ')))
    const { cause } = await errorOf(page, open().callTool({ name: 'report' }))
    expect((cause as Error).message.length).toBeGreaterThan(1_000_000)
  })

  it('[EDGE-01] is cut where no connection comes about', async () => {
    const { page, server, open } = setUp()
    const broken: Reply = () => Promise.reject(new TypeError(long('word ')))
    server.on('server/discover', broken)
    server.on('initialize', broken)
    const error = await errorOf(page, open({ retry: { connectAttempts: 3 } }).connect())
    expect(error.message.length).toBeLessThan(SCREENFUL)
  })

  it('[EDGE-01] does not show the beginning of a task id that it was cut within', async () => {
    const taskId = 'k'.repeat(50)
    for (const position of [4096 - 49, 4096 - 25, 4096 - 9]) {
      const { page, server, reported, open } = setUp()
      server.on('tools/call', created({ taskId }))
      const message = `${'.'.repeat(position)}${taskId} is not known`
      server.on(
        'tasks/get',
        rpcError(-32603, message),
        snapshot({ taskId, status: 'failed', error: { code: 1, message } }),
      )
      const error = await errorOf(page, open().callTool({ name: 'report' }))
      expect(error).toBeInstanceOf(TaskFailedError)
      for (const { message } of [error, ...reported]) expect(message).not.toContain('kkkkkkkk')
    }
  })
})

describe('the id of a task', () => {
  const says = `no such task: ${TASK_ID}`

  it.each<[what: string, tasksGet: Reply]>([
    ['a status', snapshot({ status: TASK_ID })],
    ['a status that is longer than what is quoted', snapshot({ status: `${'.'.repeat(30)}${TASK_ID}` })],
    ['a JSON-RPC error', rpcError(-32603, says, { data: { [TASK_ID]: [TASK_ID, { id: TASK_ID }] } })],
    ['an unknown task', rpcError(-32602, says, { data: says })],
    ['a JSON-RPC error with HTTP 400', refusal(says, 400, says)],
    ['an unknown task with HTTP 404', rpcError(-32602, says, { status: 404 })],
    ['a server without tasks', rpcError(-32601, says)],
    ['an HTTP status', http(503, { body: says })],
    ['an HTTP status that asks for patience', http(503, { body: says, headers: { 'retry-after': '1' } })],
    ['a refusal', http(403, { body: says })],
    ['a page of a proxy', http(200, { body: says, headers: { 'content-type': 'text/html' } })],
    ['a broken network', () => Promise.reject(new TypeError(says, { cause: new Error(says, { cause: says }) }))],
    ['a task that failed', snapshot({ status: 'failed', error: { code: 1, message: says, data: { at: [says] } } })],
    ['a task that was cancelled', snapshot({ status: 'cancelled', statusMessage: says })],
    ['the answer about another task', snapshot({ taskId: 'another-task', status: TASK_ID })],
  ])('[EDGE-13] is in no error, JSON or cause where the server puts it into %s', async (_, tasksGet) => {
    const { page, server, reported, open } = setUp()
    server.on('tasks/get', tasksGet)
    const client = open({ retry: { maxAttempts: 3 } })
    const none = () => new TaskError('There was none.')
    const errors = [
      await errorOf(page, client.callTool({ name: 'report' })).catch(none),
      await errorOf(page, client.tasks.get(TASK_ID)).catch(none),
      ...reported,
    ]
    for (const error of errors) expect(printed(error)).not.toContain(TASK_ID)
  })

  it('[EDGE-13] is in no error of a response or a cancellation that the server refuses', async () => {
    const { page, server, open } = setUp()
    server.on('tasks/update', rpcError(-32602, says, { data: says }))
    server.on('tasks/cancel', http(400, { body: says }))
    const client = open()
    for (const request of [() => client.tasks.update(TASK_ID, {}), () => client.tasks.cancel(TASK_ID)]) {
      expect(printed(await errorOf(page, request()))).not.toContain(TASK_ID)
    }
  })

  it('[EDGE-13] is in no error of withTasks() alone', async () => {
    const { page, server } = setUp()
    server.on('tasks/get', rpcError(-32602, says, { data: says }))
    const client = new Client({ name: 'app', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const transport = new StreamableHTTPClientTransport(new URL(URL_), { fetch: server.fetch })
    await client.connect(withTasks(transport, { environment: page.environment }))
    expect(printed(await errorOf(page, client.callTool({ name: 'report' })))).not.toContain(TASK_ID)
  })

  it('[EDGE-13] is in no violation, as an error is kept and as JSON', () => {
    const error = new TaskProtocolError(`the status is "${TASK_ID}"`, { source: 'tasks/get', taskId: TASK_ID })
    expect(error.violation).toBe('the status is "[task]"')
    expect(error.toJSON()).toMatchObject({ violation: 'the status is "[task]"' })
  })

  it('[EDGE-13] stays in texts where it has fewer than eight characters, as words and numbers have', () => {
    const error = (taskId: string) => new TaskError(`The task ${taskId} is not known.`, { taskId })
    expect(error('1234567').message).toContain('1234567')
    expect(error('12345678').message).not.toContain('12345678')
  })

  it('[EDGE-13] leaves the causes that it is taken out of their names, codes and order', () => {
    const innermost = Object.assign(new Error(`${TASK_ID} refused`), { code: 'ECONNREFUSED' })
    const cause = new TypeError(`fetch of ${TASK_ID} failed`, { cause: innermost })
    const error = new TaskRequestError('Broken.', { kind: 'network', taskId: TASK_ID, cause })
    expect(error.cause).toMatchObject({
      name: 'TypeError',
      message: 'fetch of [task] failed',
      cause: { name: 'Error', message: '[task] refused', code: 'ECONNREFUSED' },
    })
    expect(cause.message).toBe(`fetch of ${TASK_ID} failed`)
  })

  it('[EDGE-13] is taken out of causes that go round in a circle', () => {
    const cause = new Error(`about ${TASK_ID}`)
    cause.cause = cause
    expect(printed(new TaskError('Broken.', { taskId: TASK_ID, cause }))).not.toContain(TASK_ID)
  })
})

describeFull('the id of a task of 2025-11-25', () => {
  const SESSION_ID = 'session-secret-1'
  const says = `no task ${TASK_ID} in ${SESSION_ID}`

  function setUpLegacy() {
    const scene = setUp()
    const { server } = scene
    const legacyTask = (changes = {}) => ({ ...task(changes), ttl: null, pollInterval: 1000 })
    server.on('server/discover', rpcError(-32601, 'Method not found', { status: 400 }))
    server.on('initialize', async (request) => {
      const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
      const info = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'old', version: '1' } }
      const response = await result(info)(request)
      response.headers.set('mcp-session-id', SESSION_ID)
      return response
    })
    server.on(
      'tools/list',
      result({ tools: [{ name: 'report', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] }),
    )
    server.on('tools/call', result({ task: legacyTask() }))
    return { ...scene, legacyTask }
  }

  it.each<[what: string, tasksGet: Reply]>([
    ['an unknown task with HTTP 400', rpcError(-32602, says, { status: 400 })],
    ['an error with HTTP 400', refusal(says, 400, says)],
    ['an error', rpcError(-32603, says, { data: says })],
    ['a server without tasks with HTTP 400', rpcError(-32601, says, { status: 400 })],
    ['a session that is over', http(400, { body: `Bad Request: ${says}` })],
    ['an HTTP status', http(503, { body: says })],
    ['a status', result(task({ status: `${TASK_ID} ${SESSION_ID}` }))],
  ])(
    '[EDGE-13] is in no error, JSON or cause, nor is its session, where the server puts them into %s',
    async (_, tasksGet) => {
      const { page, server, reported, open } = setUpLegacy()
      server.on('tasks/get', tasksGet)
      const client = open({ retry: { maxAttempts: 3 } })
      // What the earlier revisions need is loaded first, which takes more than simulated time.
      await client.connect()
      const error = await errorOf(page, client.callTool({ name: 'report' }))
      expect(server.received('tasks/get').length).toBeGreaterThan(0)
      for (const one of [error, ...reported]) {
        expect(printed(one)).not.toContain(TASK_ID)
        expect(printed(one)).not.toContain(SESSION_ID)
      }
    },
  )

  it.each(['completed', 'failed'])(
    '[EDGE-13] is in no error where the result of a %s task is refused',
    async (status) => {
      const { page, server, reported, open, legacyTask } = setUpLegacy()
      server.on('tasks/get', result(legacyTask({ status })))
      server.on('tasks/result', rpcError(-32050, says, { data: { why: says } }))
      const client = open()
      await client.connect()
      const error = await errorOf(page, client.callTool({ name: 'report' }))
      expect(error.message).toContain('no task [task] in [task]')
      for (const one of [error, ...reported]) {
        expect(printed(one)).not.toContain(TASK_ID)
        expect(printed(one)).not.toContain(SESSION_ID)
      }
    },
  )
})
