import { type HttpHandler, http } from 'msw'
import { createTaskServer } from 'taskwire/server'
import { createTestServer, scriptTask, taskHandlers } from 'taskwire/testing'
import { expectTypeOf, test } from 'vitest'

const url = 'https://example.com/mcp'

test('handlers have the type of the msw that they are made with', () => {
  const server = createTaskServer({ serverInfo: { name: 'test', version: '1' }, tools: [] })
  expectTypeOf(taskHandlers(url, server, http)).toEqualTypeOf<HttpHandler[]>()
  expectTypeOf(taskHandlers(url, createTestServer({ tools: [] }), http)).toEqualTypeOf<HttpHandler[]>()
  expectTypeOf(taskHandlers(url, { tools: [] }, http)).toEqualTypeOf<HttpHandler[]>()
  // @ts-expect-error a server has tools, if none
  taskHandlers(url, {}, http)
  // @ts-expect-error msw is not loaded by itself
  taskHandlers(url, server)
})

test('a step of a script carries what its status asks for', () => {
  scriptTask([{ status: 'failed', error: { code: -32603, message: 'out of paper' } }])
  // @ts-expect-error a completed task has a result
  scriptTask([{ status: 'completed' }])
  // @ts-expect-error a task that waits has input requests
  scriptTask([{ status: 'input_required' }])
  // @ts-expect-error no status of a task
  scriptTask([{ status: 'calling' }])
})
