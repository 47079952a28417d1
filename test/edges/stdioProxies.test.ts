import type { TaskClientUrlOptions } from 'taskwire'
import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient, itFull } from '../support/anyClient.js'
import {
  created,
  createScriptedServer,
  legacyResult,
  result,
  rpcError,
  snapshot,
  speakLegacy,
} from '../support/scriptedServer.js'

// What proxies answer that serve an MCP server on stdio over HTTP, as it was recorded in November 2026 before a task server
// of each revision: mcp-proxy 6.7.19 and supergateway 4.0.0, each with its default options.

function setUp(options: Partial<TaskClientUrlOptions> = {}) {
  const page = createSimulatedEnvironment({ turns: 60 })
  const server = createScriptedServer({ now: page.now })
  const url = 'https://tasks.example/mcp'
  const { environment } = page
  const client = createTaskClient({ url, transportOptions: { fetch: server.fetch }, environment, ...options })
  return { page, server, client }
}

/** The error of a promise, once time has passed. */
async function errorOf({ page }: Pick<ReturnType<typeof setUp>, 'page'>, promise: Promise<unknown>): Promise<Error> {
  const failed = promise.then(
    () => new Error('It did not fail.'),
    (error: Error) => error,
  )
  await page.advance(60_000)
  return failed
}

const TASK_TOOL = { name: 'report', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }
const TASKS_OF_2025 = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }

describe('mcp-proxy before a task server on stdio', () => {
  it('[EDGE-50] keeps the tasks extension of 2026-07-28 back: tools run without tasks, and eraReason names proxies', async () => {
    const { server, client } = setUp()
    server.on('server/discover', result({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }))
    server.on('tools/call', result({ content: [{ type: 'text', text: 'plain' }] }))
    expect(await client.callTool({ name: 'report' })).toMatchObject({ content: [{ text: 'plain' }] })
    const { connection } = client.store.getState()
    expect(connection).toMatchObject({ status: 'connected', tasks: false })
    expect(connection.eraReason).toContain('A proxy in between may keep them back')
  })

  const REFUSED =
    'Invalid result for tools/call: [\n  {\n    "code": "custom",\n    "message": "content is required when the body carries \'task\' — another result family cannot default into an empty tools/call success",\n    "path": []\n  }\n]'

  itFull(
    '[EDGE-50] refuses the task of a call of 2025-11-25, which runs, so the call is not said to be refused',
    async () => {
      const set = setUp({ era: 'legacy' })
      const { server, client } = set
      speakLegacy(server, TASKS_OF_2025)
      server.on('tools/list', legacyResult({ tools: [TASK_TOOL] }))
      server.on('tools/call', rpcError(-32603, REFUSED))
      const error = await errorOf(set, client.callTool({ name: 'report' }, { key: 'k' }))
      expect(error).toMatchObject({ name: 'ToolCallInterruptedError', toolName: 'report' })
      expect(error.message).toContain('it may be running on the server')
      expect(error.message).toContain('does not know tasks')
      expect(server.received('tools/call')).toHaveLength(1)
    },
  )
})

describe('supergateway before a task server on stdio', () => {
  it('[EDGE-50] starts a server for each request, so the task is unknown to its first poll, and the error says what to look for', async () => {
    const set = setUp()
    const { server, client } = set
    server.on('tools/call', created())
    server.on('tasks/get', rpcError(-32602, 'unknown'))
    const error = await errorOf(set, client.callTool({ name: 'report' }))
    expect(error).toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task', taskId: 'task-secret-1' })
    expect(error.message).toContain('which it has created itself')
    expect(error.message).toContain('proxies')
    expect(server.received('tools/call')).toHaveLength(1)
  })

  itFull('[EDGE-50] starts a server for each request of 2025-11-25, too', async () => {
    const set = setUp()
    const { server, client } = set
    speakLegacy(server, TASKS_OF_2025)
    server.on('tools/list', legacyResult({ tools: [TASK_TOOL] }))
    const AT = '2026-11-23T01:49:58.134Z'
    const task = { taskId: 't1', status: 'working', ttl: 300_000, createdAt: AT, lastUpdatedAt: AT, pollInterval: 1000 }
    server.on('tools/call', legacyResult({ task }))
    server.on('tasks/get', rpcError(-32602, 'MCP error -32602: Failed to retrieve task: Task not found'))
    const error = await errorOf(set, client.callTool({ name: 'report' }))
    expect(error).toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
    expect(error.message).toContain('proxies')
  })

  it('[EDGE-50] is not suspected where the server has shown the task before it lost it', async () => {
    const set = setUp()
    const { server, client } = set
    server.on('tools/call', created())
    server.on('tasks/get', snapshot(), rpcError(-32602, 'unknown'))
    const error = await errorOf(set, client.callTool({ name: 'report' }))
    expect(error).toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
    expect(error.message).not.toContain('proxies')
  })

  it('[EDGE-50] is not suspected where the app has named the task', async () => {
    const set = setUp()
    const { server, client } = set
    server.on('tasks/get', rpcError(-32602, 'unknown'))
    const error = await errorOf(set, client.resumeTask('t9').result)
    expect(error).toMatchObject({ name: 'TaskExpiredError', reason: 'unknown-task' })
    expect(error.message).not.toContain('proxies')
  })
})
