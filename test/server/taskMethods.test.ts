import { describe, expect, it } from 'vitest'
import { startServer } from './support/serverUnderTest.js'
import { slow } from './support/tools.js'

const AWAY = 'The server cannot reach its tasks right now. Send the request again.'
const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']

describe('the methods of tasks', () => {
  it.each(METHODS)('refuse %s to clients that did not declare the extension, known task or not', async (method) => {
    const t = startServer({ tools: [slow] })
    const known = await t.start('slow')
    for (const params of [{ taskId: known, inputResponses: {} }, { taskId: 'x', inputResponses: {} }, {}]) {
      const { status, error } = await t.rpc(method, params, { capabilities: {} })
      expect({ status, code: error?.code, data: error?.data }).toEqual({
        status: 400,
        code: -32021,
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      })
    }
  })

  it.each(METHODS)('answer %s of an unknown task with -32602', async (method) => {
    const t = startServer({ tools: [slow] })
    for (const taskId of ['x', '', '__proto__', 'constructor', 'ü'.repeat(3), 'y'.repeat(100_000)]) {
      const headers = { 'mcp-name': `=?base64?${Buffer.from(taskId).toString('base64')}?=` }
      const { status, error } = await t.rpc(method, { taskId, inputResponses: {} }, { headers })
      expect({ status, error }).toEqual({
        status: 200,
        error: { code: -32602, message: 'Invalid params: there is no such task; it may have expired' },
      })
    }
  })

  it.each(METHODS)('answer %s without an id that is a string with -32602', async (method) => {
    const t = startServer({ tools: [slow] })
    for (const taskId of [undefined, null, 5, {}, ['x'], { toString: 'x' }]) {
      const { status, error } = await t.rpc(method, { taskId, inputResponses: {} })
      expect({ status, error }).toEqual({
        status: 200,
        error: { code: -32602, message: 'Invalid params: params.taskId is not a string' },
      })
    }
  })

  it.each(['tasks/list', 'tasks/result', 'tasks/delete'])('know no %s', async (method) => {
    const { status, error } = await startServer({ tools: [slow] }).rpc(method, { taskId: 'x' })
    expect({ status, code: error?.code }).toEqual({ status: 404, code: -32601 })
  })

  it('are refused with 503 and Retry-After where the store fails, which says why to the operator only', async () => {
    const t = startServer({
      tools: [slow],
      store: {
        create: async () => {},
        get: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7')),
        transition: async () => true,
        expire: async () => null,
        remove: async () => {},
      },
    })
    for (const method of METHODS) {
      const { status, headers, error } = await t.rpc(method, { taskId: 'x', inputResponses: {} })
      expect([status, headers.get('retry-after'), error]).toEqual([503, '1', { code: -32000, message: AWAY }])
    }
    expect(t.errors).toHaveLength(3)
  })
})

describe('the headers of a request about a task', () => {
  it.each(METHODS)('of %s must agree with its body', async (method) => {
    const t = startServer({ tools: [slow] })
    const taskId = await t.start('slow')
    const wrong: Record<string, string | null>[] = [
      { 'mcp-name': null },
      { 'mcp-name': 'another' },
      { 'mcp-name': '=?base64?%%%?=' },
      { 'mcp-method': null },
      { 'mcp-method': 'tools/call' },
      { 'mcp-protocol-version': null },
      { 'mcp-protocol-version': '2025-11-25' },
    ]
    for (const headers of wrong) {
      const { status, error } = await t.rpc(method, { taskId, inputResponses: {} }, { headers })
      expect({ headers, status, code: error?.code }).toEqual({ headers, status: 400, code: -32020 })
    }
  })

  it('may carry the task id encoded', async () => {
    const t = startServer({ tools: [slow] })
    const taskId = await t.start('slow')
    const headers = { 'mcp-name': `=?base64?${btoa(taskId)}?=` }
    expect(await t.get(taskId, { headers })).toMatchObject({ taskId })
  })
})
