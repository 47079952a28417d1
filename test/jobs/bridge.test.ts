import { mcpTools } from 'taskwire/ai'
import { byStatusField, defineJob } from 'taskwire/jobs'
import { defineTool } from 'taskwire/server'
import { createTestServer } from 'taskwire/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createBridgedBackend } from '../support/bridgedBackend.js'

const job = defineJob({
  start: 'render',
  status: 'render_status',
  cancel: 'stop_render',
  id: 'run_id',
  read: byStatusField('status', { progress: { value: 'step', total: 'steps' } }),
  intervalMs: 1000,
})

const WAITS = 'The call waits for the job and returns its outcome: there is nothing to poll.'

/** A server that has tools for jobs and no tool that is a task, behind the backend of an app. */
function setUp() {
  let step = 0
  let isStopped = false
  const answer = (fields: Record<string, unknown>) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(fields) }],
    structuredContent: fields,
  })
  const run = z.object({ run_id: z.string() })
  const server = createTestServer({
    browser: { turns: 60 },
    tools: [
      defineTool({
        name: 'render',
        description: 'Starts a render.',
        taskSupport: 'forbidden',
        inputSchema: z.object({}),
        handler: () => answer({ run_id: 'run-12345678' }),
      }),
      defineTool({
        name: 'render_status',
        taskSupport: 'forbidden',
        inputSchema: run,
        handler: () => {
          step += 1
          return answer({ status: isStopped ? 'cancelled' : step < 5 ? 'running' : 'done', step, steps: 5 })
        },
      }),
      defineTool({
        name: 'stop_render',
        taskSupport: 'forbidden',
        inputSchema: run,
        handler: () => {
          isStopped = true
          return answer({})
        },
      }),
    ],
  })
  return { server, backend: createBridgedBackend(server, {}, { jobs: [job] }) }
}

it('a job is followed by the backend, and shown to its pages', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall({ name: 'render', arguments: {} }, { key: 'k' })
  await server.advance(2500)
  expect(call.getState()).toMatchObject({ phase: 'working', progress: { progress: 2, total: 5 } })
  await server.advance(4000)
  expect(await call.result).toMatchObject({ structuredContent: { status: 'done', step: 5 } })
})

it('a job outlives a restart of the backend', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall({ name: 'render', arguments: {} }, { key: 'k' })
  await server.advance(2500)
  await backend.restart()
  await server.advance(30_000)
  expect(await call.result).toMatchObject({ structuredContent: { status: 'done' } })
})

it('a page cancels a job of its backend', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const call = client.startToolCall({ name: 'render', arguments: {} }, { key: 'k' })
  call.result.catch(() => {})
  await server.advance(1500)
  await Promise.all([call.cancel(), server.advance(3000)])
  await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })
})

it('a model in a page of the backend gets no tools that only follow a job, and reads that the call waits for it', async () => {
  const { server, backend } = setUp()
  const { client } = backend.openPage()
  const [tools] = await Promise.all([mcpTools(client), server.advance(100)])
  expect(Object.entries(tools).map(([name, { description }]) => [name, description])).toEqual([
    ['render', `Starts a render.\n\n${WAITS}`],
  ])
  const [listed] = await Promise.all([backend.clientOf('ada').listTools(), server.advance(100)])
  expect(listed.map(({ description }) => description)).toEqual(['Starts a render.', undefined, undefined])
})
