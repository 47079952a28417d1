import { describe, expect, it } from 'vitest'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { defineTool } from '../../src/server/tools/defineTool.js'
import { gist, listen, listenInVain, SUBSCRIPTION, subscriptionOf } from './support/listening.js'
import type { Json } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { ask, failing, slow, text } from './support/tools.js'

const chatty = defineTool({
  ...slow,
  async handler(_, { progress, sleep }) {
    for (const step of [1, 2]) {
      await sleep(1000)
      await progress(`step ${step}`)
    }
    await sleep(1000)
    return text('done')
  },
})

describe('subscriptions/listen with taskIds', () => {
  it('is acknowledged first, then tells where the task stands, every change of it, and the end', async () => {
    const t = startServer({ tools: [chatty] })
    const taskId = await t.start('slow')
    const stream = await listen(t, { taskIds: [taskId] })
    await t.clock.advance(3000)
    expect((await stream.messages()).map(gist)).toEqual([
      ['subscriptions/acknowledged', { taskIds: [taskId] }],
      ['tasks', 'working'],
      ['tasks', 'working step 1'],
      ['tasks', 'working step 2'],
      ['tasks', 'completed'],
      ['end'],
    ])
    expect(await stream.ended()).toBe(true)
  })

  it('carries what tasks/get would have said, and the id of the subscription', async () => {
    const t = startServer({ tools: [ask, failing, slow] })
    const taskIds = [await t.start('ask'), await t.start('failing', { how: 'protocol' }), await t.start('slow')]
    const stream = await listen(t, { taskIds })
    await t.clock.advance(1000)
    const [ack, ...news] = await stream.messages()
    const id = subscriptionOf(ack)
    expect(id).toEqual(expect.any(Number))
    for (const taskId of taskIds) {
      const { resultType, _meta, ...task } = await t.get(taskId)
      const last = news.filter(({ params }) => (params as Json)['taskId'] === taskId).at(-1)
      expect(last).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/tasks',
        params: { ...task, _meta: { [SUBSCRIPTION]: id } },
      })
    }
    expect(new Set(news.map(({ params }) => (params as Json)['status']))).toEqual(
      new Set(['input_required', 'failed', 'working', 'completed']),
    )
  })

  it('loses nothing between a poll and the listening that follows it', async () => {
    const t = startServer({ tools: [slow] })
    const taskId = await t.start('slow', { ms: 500 })
    expect(await t.get(taskId)).toMatchObject({ status: 'working' })
    await t.clock.advance(500)
    const stream = await listen(t, { taskIds: [taskId] })
    expect((await stream.messages()).map(gist)).toEqual([
      ['subscriptions/acknowledged', { taskIds: [taskId] }],
      ['tasks', 'completed'],
      ['end'],
    ])
  })

  it('loses nothing that happens while it is being set up', async () => {
    const store = new InMemoryTaskStore()
    const t = startServer({ store, tools: [slow] })
    const [first, second] = [await t.start('slow', { ms: 500 }), await t.start('slow', { ms: 2000 })]
    const get = store.get.bind(store)
    store.get = async (taskId) => {
      const record = await get(taskId)
      // The first one is over just after it was read.
      if (taskId === second) await t.clock.advance(500)
      return record
    }
    const stream = await listen(t, { taskIds: [first, second] })
    expect((await stream.messages()).map(gist).slice(1)).toEqual([
      ['tasks', 'completed'],
      ['tasks', 'working'],
    ])
  })

  it('tells of an input request, and that it is answered', async () => {
    const t = startServer({ tools: [ask] })
    const taskId = await t.start('ask')
    const stream = await listen(t, { taskIds: [taskId] })
    await t.update(taskId, { 'elicitation-1': { action: 'accept', content: { name: 'Ann' } } })
    expect((await stream.messages()).map(gist).slice(1)).toEqual([
      ['tasks', 'input_required'],
      ['tasks', 'working'],
      ['tasks', 'completed'],
      ['end'],
    ])
  })

  it('tells of a cancellation', async () => {
    const t = startServer({ tools: [slow] })
    const taskId = await t.start('slow')
    const stream = await listen(t, { taskIds: [taskId] })
    await t.cancel(taskId)
    expect((await stream.messages()).map(gist).at(-2)).toEqual(['tasks', 'cancelled'])
  })

  it('goes on until the last of its tasks is over', async () => {
    const t = startServer({ tools: [slow] })
    const stream = await listen(t, { taskIds: [await t.start('slow'), await t.start('slow', { ms: 9000 })] })
    await t.clock.advance(8999)
    expect(await stream.ended()).toBe(false)
    await t.clock.advance(1)
    expect(await stream.ended()).toBe(true)
  })

  it('honours a task once, however often it is named, and none that is unknown, expired or of somebody else', async () => {
    const owner = (request: Request) => request.headers.get('x-user') ?? 'nobody'
    const t = startServer({ tools: [slow], owner })
    const ann = { headers: { 'x-user': 'ann' } }
    const own = await t.start('slow', { ms: 9000 }, ann)
    const others = await t.start('slow', { ms: 5000 }, { headers: { 'x-user': 'bob' } })
    const stream = await listen(t, { taskIds: [own, others, own, 'made-up', '__proto__'] }, ann)
    await t.clock.advance(5000)
    expect((await stream.messages()).map(gist)).toEqual([
      ['subscriptions/acknowledged', { taskIds: [own] }],
      ['tasks', 'working'],
    ])
  })

  it('honours no more tasks than an owner may have at work', async () => {
    const t = startServer({ tools: [slow], maxTasksPerOwner: 2 })
    const taskIds = [await t.start('slow'), await t.start('slow')]
    const stream = await listen(t, { taskIds: [...taskIds, 'made-up'] })
    expect((await stream.messages()).map(gist)[0]).toEqual(['subscriptions/acknowledged', { taskIds }])
    const late = await listen(t, { taskIds: ['made-up', 'too', ...taskIds] })
    expect((await late.messages()).map(gist)[0]).toEqual(['subscriptions/acknowledged', {}])
  })

  it('is over at once where there is nothing to hear', async () => {
    const t = startServer({ tools: [] })
    for (const taskIds of [[], ['made-up']]) {
      const stream = await listen(t, { taskIds })
      expect((await stream.messages()).map(gist)).toEqual([['subscriptions/acknowledged', {}], ['end']])
      expect(await stream.ended()).toBe(true)
    }
    expect(t.clock.pending).toBe(0)
  })

  it('names the missing capability to a client that does not declare the extension', async () => {
    const t = startServer({ tools: [slow] })
    const taskId = await t.start('slow')
    const { status, error } = await listenInVain(t, { taskIds: [taskId] }, { capabilities: {} })
    expect({ status, error }).toEqual({
      status: 400,
      error: {
        code: -32021,
        message: expect.stringContaining('Missing required client capability'),
        data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      },
    })
    expect(t.clock.pending).toBe(2)
  })

  it.each([['all'], [{}], [[1]], [null]])('refuses taskIds of %j', async (taskIds) => {
    const t = startServer({ tools: [] })
    expect(await listenInVain(t, { taskIds })).toMatchObject({
      status: 200,
      error: { code: -32602, message: 'Invalid params: params.notifications.taskIds is not a list of strings' },
    })
  })

  it('leaves the refusal of what is no request of this revision to the SDK', async () => {
    const t = startServer({ tools: [] })
    expect(await listenInVain(t, 'all')).toMatchObject({ error: { code: -32602 } })
    expect(await listenInVain(t, { taskIds: [] }, { headers: { 'mcp-method': 'tools/call' } })).toMatchObject({
      status: 400,
      error: { code: -32020 },
    })
  })

  it('tells no internals where the store fails', async () => {
    const store = new InMemoryTaskStore()
    const t = startServer({ store, tools: [] })
    store.get = () => Promise.reject(new Error('password=hunter2'))
    expect(await listenInVain(t, { taskIds: ['a'] })).toMatchObject({
      status: 503,
      error: { code: -32000, message: 'The server cannot reach its tasks right now. Send the request again.' },
    })
    expect(t.errors).toContainEqual({ error: new Error('password=hunter2'), context: { source: 'server' } })
  })

  it('acknowledges no tasks where push is off, and polling goes on as ever', async () => {
    const t = startServer({ tools: [slow], push: false })
    const taskId = await t.start('slow')
    const stream = await listen(t, { taskIds: [taskId] })
    expect((await stream.messages()).map(gist)).toEqual([['subscriptions/acknowledged', {}], ['end']])
    expect(await t.get(taskId)).toMatchObject({ status: 'working' })
  })
})
