import { describe, expect, it, vi } from 'vitest'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { defineTool } from '../../src/server/tools/defineTool.js'
import { PATIENCE } from '../support/patience.js'
import { gist, listen, subscriptionOf } from './support/listening.js'
import { createManualClock } from './support/manualClock.js'
import { rpcRequest } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { SilentStore } from './support/silentStore.js'
import { ask, slow, text } from './support/tools.js'

const RESOURCES = { resources: { subscribe: true, listChanged: true } }

describe('a stream of tasks', () => {
  it('carries what else was asked for, by way of the SDK, and outlives the tasks', async () => {
    const t = startServer({ tools: [slow], serverOptions: { capabilities: RESOURCES } })
    const taskId = await t.start('slow')
    const filter = { resourcesListChanged: true, resourceSubscriptions: ['file:///a'] }
    const stream = await listen(t, { taskIds: [taskId], ...filter })
    t.server.notify.resourceUpdated('file:///a')
    t.server.notify.resourceUpdated('file:///b')
    await t.clock.advance(1000)
    t.server.notify.resourcesChanged()
    expect((await stream.messages()).map(gist)).toEqual([
      ['subscriptions/acknowledged', { ...filter, taskIds: [taskId] }],
      ['tasks', 'working'],
      ['resources/updated', 'file:///a'],
      ['tasks', 'completed'],
      ['resources/list_changed', ''],
    ])
    expect(await stream.ended()).toBe(false)
    await t.server.close()
    expect((await stream.messages()).map(gist).at(-1)).toEqual(['end'])
    expect(await stream.ended()).toBe(true)
  })

  it('shows a sign of life every 15 s', async () => {
    const t = startServer({ tools: [slow] })
    const stream = await listen(t, { taskIds: [await t.start('slow', { ms: 60_000 })] })
    await t.clock.advance(45_000)
    expect(stream.comments()).toBe(3)
  })

  it('ends when the client hangs up, and leaves nothing behind', async () => {
    const t = startServer({ tools: [ask] })
    const stream = await listen(t, { taskIds: [await t.start('ask')] })
    expect(t.clock.pending).toBe(2)
    await stream.hangUp()
    expect(await stream.ended()).toBe(true)
    // The sweeper is left.
    expect(t.clock.pending).toBe(1)
  })

  it('ends when its reader cancels it, as runtimes do that tell of a hang-up in this way', async () => {
    const t = startServer({ tools: [ask] })
    const taskId = await t.start('ask')
    const response = await t.server.fetch(rpcRequest('subscriptions/listen', { notifications: { taskIds: [taskId] } }))
    await response.body?.cancel()
    expect(t.clock.pending).toBe(1)
    await t.update(taskId, { 'elicitation-1': { action: 'decline' } })
  })

  it('ends with the server, after the last notification of every task', async () => {
    const t = startServer({ tools: [slow] })
    const stream = await listen(t, { taskIds: [await t.start('slow')] })
    await t.server.close()
    expect((await stream.messages()).map(gist).slice(-2)).toEqual([
      ['tasks', 'failed The server was shut down before the tool had finished.'],
      ['end'],
    ])
    expect(await stream.ended()).toBe(true)
    expect(t.clock.pending).toBe(0)
  })

  it('ends when its tasks have expired', async () => {
    const t = startServer({ tools: [ask], defaultTtlMs: 20_000 })
    const stream = await listen(t, { taskIds: [await t.start('ask')] })
    await t.clock.advance(30_000)
    expect((await stream.messages()).map(gist).at(-1)).toEqual(['end'])
    expect(t.clock.pending).toBe(0)
  })

  it.each([
    ['memory', () => new InMemoryTaskStore()],
    ['a store that finds no lost work', () => new SilentStore()],
  ])('lasts until the end of a task whose process has slept for longer than the ttl, in %s', async (_, createStore) => {
    const clock = createManualClock()
    const t = startServer({ tools: [slow], clock, store: createStore() })
    const stream = await listen(t, { taskIds: [await t.start('slow', { ms: 600_000 })] })
    const { now } = clock
    clock.now = () => now() + 2 * 3_600_000
    await clock.advance(30_000)
    expect(await stream.ended()).toBe(false)
    await clock.advance(600_000)
    expect((await stream.messages()).map(gist).slice(-2)).toEqual([['tasks', 'completed'], ['end']])
  })

  it('lasts while the store is away, also past the ttl of its tasks', async () => {
    const store = new SilentStore()
    const t = startServer({ tools: [ask], store, defaultTtlMs: 20_000 })
    const stream = await listen(t, { taskIds: [await t.start('ask')] })
    const get = vi.spyOn(store, 'get').mockRejectedValue(new Error('away'))
    await t.clock.advance(30_000)
    expect(await stream.ended()).toBe(false)
    get.mockRestore()
    await t.clock.advance(15_000)
    expect(await stream.ended()).toBe(true)
  })

  it('gives a slow reader the newest state instead of everything it has missed', async () => {
    const steps = 1000
    const verbose = defineTool({
      ...slow,
      async handler(_, { progress, sleep }) {
        await sleep(1)
        for (let step = 1; step <= steps; step += 1) await progress(`step ${step}`)
        return text('done')
      },
    })
    const t = startServer({ tools: [verbose] })
    const taskId = await t.start('slow')
    const response = await t.server.fetch(rpcRequest('subscriptions/listen', { notifications: { taskIds: [taskId] } }))
    await t.clock.advance(1)
    await vi.waitFor(async () => expect(await t.get(taskId)).toMatchObject({ status: 'completed' }), PATIENCE)
    const frames = (await response.text()).trim().split('\n\n')
    expect(frames.length).toBeLessThan(100)
    expect(frames.at(-2)).toContain('"status":"completed"')
  })

  it('tells two clients of the same task, each under its own subscription', async () => {
    const t = startServer({ tools: [slow] })
    const taskIds = [await t.start('slow')]
    const [one, other] = [await listen(t, { taskIds }), await listen(t, { taskIds })]
    await t.clock.advance(1000)
    expect((await one.messages()).map(gist)).toEqual((await other.messages()).map(gist))
    const ids = (await Promise.all([one, other].map((stream) => stream.messages()))).map(([ack]) => subscriptionOf(ack))
    expect(new Set(ids).size).toBe(2)
  })
})
