import { type TaskClient, TaskProtocolError } from 'taskwire'
import { createSimulatedEnvironment, type SimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  createScriptedServer,
  type Reply,
  result,
  rpcError,
  type ScriptedRequest,
  type ScriptedServer,
  TASKS,
  task,
} from '../support/scriptedServer.js'

// What a client of the tasks extension is checked for: one server whose tools answer plainly, by a task that completes, by one
// that fails, and by one that runs until it is cancelled.

const INTERVAL_MS = 300
const TTL_MS = 60_000
const ECHO = { content: [{ type: 'text', text: 'at once' }] }
const REPORT = { content: [{ type: 'text', text: 'after a while' }] }
const FAILURE = { code: -32603, message: 'The printer is on fire.' }

let page: SimulatedEnvironment
let server: ScriptedServer
let client: TaskClient
let cancelled: Set<unknown>

/** A task as the server shows it: an id that is no tool's name. */
const shown = (tool: string, status: string, members: object = {}) =>
  task({ taskId: `${tool}-0001`, status, ttlMs: TTL_MS, pollIntervalMs: INTERVAL_MS, ...members })

/** The second poll finds the report complete, the first one finds the print failed. */
function stateOf(taskId: unknown): Record<string, unknown> {
  const polls = server.received('tasks/get').filter(({ params }) => params['taskId'] === taskId).length
  if (taskId === 'print-0001') return shown('print', 'failed', { error: FAILURE })
  if (taskId === 'report-0001' && polls > 1) return shown('report', 'completed', { result: REPORT })
  const tool = String(taskId).replace('-0001', '')
  return shown(tool, cancelled.has(taskId) ? 'cancelled' : 'working')
}

beforeEach(() => {
  page = createSimulatedEnvironment()
  const tools = ['echo', 'report', 'print', 'watch'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  server = createScriptedServer({ now: page.now, tools })
  cancelled = new Set()
  server.on('tools/call', (request) => {
    const tool = String(request.params['name'])
    return (tool === 'echo' ? result(ECHO) : result({ ...shown(tool, 'working'), resultType: 'task' }))(request)
  })
  server.on('tasks/get', (request) => result(stateOf(request.params['taskId']))(request))
  server.on('tasks/cancel', (request) => {
    cancelled.add(request.params['taskId'])
    return ack(request)
  })
  server.on('subscriptions/listen', rpcError(-32601, 'Method not found', { status: 404 }))
  client = createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
  })
})

const polls = (taskId: string): ScriptedRequest[] =>
  server.received('tasks/get').filter(({ params }) => params['taskId'] === taskId)

// [TASK-EITHER-RESULT] [TASK-DECLARE]
it('[EDGE-50] a client takes a plain result and a task from one connection, and declares the extension with each call', async () => {
  const report = client.callTool({ name: 'report' })
  const echo = client.callTool({ name: 'echo' })
  await page.advance(5000)
  await expect(echo).resolves.toEqual(ECHO)
  await expect(report).resolves.toEqual(REPORT)
  expect(polls('report-0001')).toHaveLength(2)
  for (const { params } of server.received('tools/call')) {
    expect(params['_meta']).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
    })
  }
})

// [TASK-NAME-HEADER]
it('[EDGE-50] a client names the task in the header Mcp-Name of each request that is about it', async () => {
  const calls = ['report', 'print', 'watch'].map((name) => client.startToolCall({ name }))
  for (const { result } of calls) result.catch(() => {})
  await page.advance(1000)
  await calls[2]?.cancel()
  await page.advance(5000)
  const requests = server.received('tasks/*')
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['tasks/get', 'tasks/cancel']))
  expect(requests.map(({ headers }) => headers.get('mcp-name'))).toEqual(requests.map(({ params }) => params['taskId']))
})

// [TASK-POLL-INTERVAL] [TASK-POLL-INTERVAL-CHANGES]
it('[EDGE-50] a client waits for pollIntervalMs after each response, for that of the latest one', async () => {
  const call = client.startToolCall({ name: 'watch' })
  const begun = page.now()
  /** How long it waited before each poll since the given one. */
  const waits = (from: number) => {
    const at = [0, ...server.times('tasks/get', begun)]
    return at.map((time, index) => time - (at[index - 1] ?? time)).slice(from + 1)
  }
  await page.advance(10 * INTERVAL_MS)
  const before = waits(0)
  expect(before.length).toBeGreaterThan(3)
  for (const wait of before) expect(wait).toBeGreaterThanOrEqual(INTERVAL_MS)
  server.on('tasks/get', result(shown('watch', 'working', { pollIntervalMs: 4000 })))
  await page.advance(20_000)
  // The next poll is the one that brings the new interval.
  const after = waits(before.length + 1)
  expect(after.length).toBeGreaterThan(2)
  for (const wait of after) expect(wait).toBeGreaterThanOrEqual(4000)
  expect(call.getState().phase).toBe('working')
})

it('[EDGE-50] a client shows a failed task as its error, and polls it no more', async () => {
  const call = client.startToolCall({ name: 'print' })
  const rejected = expect(call.result).rejects.toMatchObject({ name: 'TaskFailedError', ...FAILURE })
  await page.advance(TTL_MS)
  await rejected
  expect(polls('print-0001')).toHaveLength(1)
})

// [TASK-CANCEL-BY-REQUEST]
it('[EDGE-50] a client cancels a task by tasks/cancel and by no notification, and sees that it is cancelled', async () => {
  const call = client.startToolCall({ name: 'watch' })
  const rejected = expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
  await page.advance(1000)
  await call.cancel()
  await page.advance(1000)
  await rejected
  const before = polls('watch-0001').length
  await page.advance(TTL_MS)
  expect(server.received('tasks/cancel').map(({ params }) => params['taskId'])).toEqual(['watch-0001'])
  expect(server.received('notifications/cancelled')).toEqual([])
  expect(polls('watch-0001')).toHaveLength(before)
})

/** A task in answer to what cannot become one. */
const strayTask: Reply = (request) => result({ ...shown('stray', 'working'), resultType: 'task' })(request)

// [TASK-UNSUPPORTED-METHOD]
it.each([
  ['server/discover', () => client.connect(), 'Failed to connect to an MCP server'],
  ['tools/list', () => client.listTools(), 'tools/list'],
])(
  '[EDGE-50] a client takes a task in answer to %s for an invalid response, and asks nothing about it',
  async (method, use, says) => {
    server.on(method, strayTask)
    const rejected = expect(use()).rejects.toThrow(says)
    await page.advance(5000)
    await rejected
    expect(server.received('tasks/*')).toEqual([])
  },
)

// [TASK-UNSUPPORTED-METHOD]
it('[EDGE-50] a client takes a task in answer to tasks/get for an invalid response, and follows no other than its own', async () => {
  const call = client.startToolCall({ name: 'watch' })
  await page.advance(1000)
  server.on('tasks/get', strayTask)
  const rejected = expect(call.result).rejects.toBeInstanceOf(TaskProtocolError)
  await page.advance(10_000)
  await rejected
  expect(new Set(server.received('tasks/*').map(({ params }) => params['taskId']))).toEqual(new Set(['watch-0001']))
})
