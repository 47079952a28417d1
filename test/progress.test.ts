import type { TaskClient } from 'taskwire'
import { createTestServer, scriptTask, type TestServer } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../src/server.js'
import { createTaskClient } from './support/anyClient.js'

const render = defineTool({
  name: 'render',
  taskSupport: 'optional',
  inputSchema: z.object({}),
  async handler(_, { progress, sleep }) {
    for (const [step, region] of ['Asia', 'Europe'].entries()) {
      await progress(step + 1, 3, region)
      await sleep(2000)
    }
    await progress(7)
    await sleep(2000)
    return { content: [{ type: 'text', text: 'done' }] }
  },
})

function open(server: TestServer, push: boolean): TaskClient {
  return createTaskClient({ url: server.url, environment: server.browser.openPage().environment, push })
}

describe.each([true, false])('the progress that a tool sets, with push: %j', (push) => {
  it('is shown in numbers, and as a status message to those who know no numbers', async () => {
    const server = createTestServer({ tools: [render] })
    const call = open(server, push).startToolCall({ name: 'render' })
    await server.advance(1500)
    expect(call.getState()).toMatchObject({
      progress: { progress: 1, total: 3, message: 'Asia' },
      task: { statusMessage: 'Asia (1 of 3)' },
    })
    await server.advance(2000)
    expect(call.getState().progress).toEqual({ progress: 2, total: 3, message: 'Europe' })
    await server.advance(2000)
    expect(call.getState()).toMatchObject({ progress: { progress: 7 }, task: { statusMessage: '7' } })
    await server.advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'completed' })
    expect(call.getState()).not.toHaveProperty('progress')
  })
})

describe('the progress of a scripted task', () => {
  it('is that of its step, from the response to tools/call on', async () => {
    const steps = [10, 20].map((progress) => ({ status: 'working' as const, progress: { progress, total: 100 } }))
    const server = createTestServer({ tools: [scriptTask(steps, { name: 'render' })] })
    const call = open(server, false).startToolCall({ name: 'render' })
    await server.advance(500)
    expect(call.getState().progress).toEqual({ progress: 10, total: 100 })
    await server.advance(1000)
    expect(call.getState().progress).toEqual({ progress: 20, total: 100 })
  })

  it('is the same reference while it is the same, so that nothing renders', async () => {
    const server = createTestServer({
      tools: [scriptTask([{ status: 'working', progress: { progress: 1, total: 2 } }], { name: 'render' })],
    })
    const call = open(server, false).startToolCall({ name: 'render' })
    await server.advance(500)
    const state = call.getState()
    await server.advance(5000)
    expect(call.getState()).toBe(state)
  })
})

describe('lastHeardAt', () => {
  it('moves with each answer of the server, and stands still while there is none', async () => {
    const server = createTestServer({ tools: [scriptTask([{ status: 'working' }], { name: 'render' })] })
    const { environment } = server.browser.openPage()
    const call = createTaskClient({ url: server.url, environment, push: false }).startToolCall({ name: 'render' })
    const start = environment.now()
    const heard = () => call.lastHeardAt && call.lastHeardAt - start
    expect(heard()).toBeUndefined()
    await server.advance(500)
    expect(heard()).toBe(0)
    await server.advance(1000)
    expect(heard()).toBe(1000)
    server.faults.status(503, { times: 100 })
    await server.advance(10_000)
    expect(heard()).toBe(1000)
    expect(call.getState().network).toBe('retrying')
  })
})
