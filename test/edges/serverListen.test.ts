import { InMemoryTaskStore, type TaskRecord } from 'taskwire/server'
import { describe, expect, it } from 'vitest'
import { gist, listen, listenInVain } from '../server/support/listening.js'
import { settle } from '../server/support/manualClock.js'
import { type Json, rpcRequest } from '../server/support/rpc.js'
import { type ServerUnderTest, startServer } from '../server/support/serverUnderTest.js'
import { SilentStore } from '../server/support/silentStore.js'
import { ask, slow } from '../server/support/tools.js'

import { untilCollected } from '../support/untilCollected.js'

const as = (name: string) => ({ authInfo: { token: name, clientId: name, scopes: [] } })
const owner = (_: Request, authInfo: { clientId: string } | undefined) => authInfo?.clientId
const RESOURCES = { resources: { subscribe: true, listChanged: true } }
const MEGABYTE = 1024 * 1024

/** Shared with other processes, as far as the server knows: it reads again what matters to it. */
class WatchedStore extends SilentStore {
  reads: string[] = []
  override get(taskId: string): Promise<TaskRecord | undefined> {
    this.reads.push(taskId)
    return super.get(taskId)
  }
}

/** Opens a stream, and reads nothing of it. */
async function open(
  { server }: ServerUnderTest,
  notifications: Json,
  options = {},
): Promise<ReadableStream<Uint8Array>> {
  const { body } = await server.fetch(rpcRequest('subscriptions/listen', { notifications }, options), options)
  if (body === null) throw new Error('no stream')
  return body
}

const madeUp = Array.from({ length: 999 }, (_, index) => `no-such-task-${index}`)

describe('a stream that names tasks', () => {
  it('[EDGE-16] a stream honours the ids that were found, and reads no others while it is open', async () => {
    const store = new WatchedStore()
    const t = startServer({ store, tools: [ask] })
    const taskId = await t.start('ask')
    const stream = await listen(t, { taskIds: [...madeUp, taskId] })
    expect((await stream.messages()).map(gist)[0]).toEqual(['subscriptions/acknowledged', { taskIds: [taskId] }])
    store.reads = []
    await t.clock.advance(10_000)
    expect(store.reads).toEqual(Array.from({ length: 10 }, () => taskId))
  })

  it('[EDGE-16] a task of another owner is not read again for a stream that named it', async () => {
    const store = new WatchedStore()
    const t = startServer({ store, tools: [ask], owner })
    const foreign = await t.start('ask', {}, as('bob'))
    const own = await t.start('ask', {}, as('ann'))
    await t.cancel(foreign, as('bob'))
    await listen(t, { taskIds: [foreign, own] }, as('ann'))
    await settle()
    store.reads = []
    await t.clock.advance(3000)
    expect(store.reads).toEqual([own, own, own])
  })

  it('[EDGE-16] a task that is over, or gone, is not read again for a stream that goes on', async () => {
    // Work does not expire; an input request without a response does.
    const brief = { ...ask, name: 'brief', ttlMs: 5000 }
    const store = new WatchedStore()
    const t = startServer({ store, tools: [slow, ask, brief], defaultTtlMs: null })
    const [over, open] = [await t.start('slow', { ms: 10 }), await t.start('ask')]
    await listen(t, { taskIds: [over, open] })
    await t.clock.advance(10)
    await t.clock.advance(990)
    store.reads = []
    await t.clock.advance(3000)
    expect(store.reads).toEqual([open, open, open])

    const elsewhere = startServer({ store, clock: t.clock, tools: [ask] })
    const going = await t.start('brief')
    await listen(elsewhere, { taskIds: [going, open] })
    await t.clock.advance(10_000)
    store.reads = []
    await t.clock.advance(2000)
    expect(new Set(store.reads)).toEqual(new Set([open]))
  })

  it('[EDGE-16] a stream keeps nothing of the request that opened it', async () => {
    const t = startServer({ tools: [ask] })
    const taskId = await t.start('ask')

    async function openStream(): Promise<{ reader: unknown; request: Request; body: WeakRef<object> }> {
      const notifications = { taskIds: [taskId, ...madeUp] }
      const request = rpcRequest('subscriptions/listen', { notifications })
      const parsedBody = (await request.json()) as object
      const response = await t.server.fetch(request, { parsedBody })
      const reader = response.body?.getReader()
      await reader?.read()
      // Kept, as whatever serves HTTP does while the connection is open.
      return { reader, request, body: new WeakRef(parsedBody) }
    }

    const opened = await openStream()
    await settle()
    expect(opened.request.signal.aborted).toBe(false)
    expect(await untilCollected([opened.body])).toEqual([])
    expect(opened.reader).toBeDefined()
  })
})

describe('the places of streams', () => {
  const FULL = { code: -32010, message: 'Too many streams are open (2). End one, or poll.' }

  it('[EDGE-16] an owner who has no place left for a stream leaves those of others alone', async () => {
    const t = startServer({ tools: [ask], owner, maxStreamsPerOwner: 2 })
    const taskIds = { ann: [await t.start('ask', {}, as('ann'))], bob: [await t.start('ask', {}, as('bob'))] }
    const first = await listen(t, { taskIds: taskIds.ann }, as('ann'))
    await listen(t, { taskIds: taskIds.ann }, as('ann'))
    const { status, error } = await listenInVain(t, { taskIds: taskIds.ann }, as('ann'))
    expect({ status, error }).toEqual({ status: 200, error: FULL })
    await listen(t, { taskIds: taskIds.bob }, as('bob'))
    await first.hangUp()
    await listen(t, { taskIds: taskIds.ann }, as('ann'))
    expect((await listenInVain(t, { taskIds: taskIds.ann }, as('ann'))).error).toEqual(FULL)
  })

  it('[EDGE-16] a stream that names no task takes a place of its owner, too', async () => {
    const options = { tools: [ask], serverOptions: { capabilities: RESOURCES } }
    const t = startServer({ ...options, owner, maxStreamsPerOwner: 2 })
    const first = await listen(t, { resourcesListChanged: true }, as('ann'))
    await listen(t, { resourcesListChanged: true }, as('ann'))
    expect((await listenInVain(t, { resourcesListChanged: true }, as('ann'))).error).toEqual(FULL)
    await listen(t, { resourcesListChanged: true }, as('bob'))
    await first.hangUp()
    await listen(t, { resourcesListChanged: true }, as('ann'))
  })

  it('[EDGE-16] streams of all owners together have so many places', async () => {
    const t = startServer({ tools: [ask], owner, maxStreams: 2 })
    const open = async (name: string) => ({ taskIds: [await t.start('ask', {}, as(name))] })
    await listen(t, await open('ann'), as('ann'))
    await listen(t, await open('bob'), as('bob'))
    expect((await listenInVain(t, await open('cem'), as('cem'))).error).toEqual(FULL)
  })

  it('[EDGE-16] an owner may have 64 streams, and all together more than 1,024 where nobody has a name', async () => {
    const named = startServer({ tools: [ask], owner })
    const ofAnn = { taskIds: [await named.start('ask', {}, as('ann'))] }
    for (let count = 0; count < 64; count += 1) await listen(named, ofAnn, as('ann'))
    expect((await listenInVain(named, ofAnn, as('ann'))).error?.code).toBe(-32010)

    const nameless = startServer({ tools: [ask] })
    const taskIds = [await nameless.start('ask')]
    for (let count = 0; count < 1030; count += 1) await open(nameless, { taskIds })
  })

  it('[EDGE-16] a client that hangs up while its stream is set up leaves nothing behind', async () => {
    const store = new InMemoryTaskStore()
    const t = startServer({ store, tools: [ask], maxStreams: 1 })
    const taskId = await t.start('ask')
    const timers = t.clock.pending
    const client = new AbortController()
    const get = store.get.bind(store)
    store.get = async (id) => {
      client.abort()
      return get(id)
    }
    await t.server.fetch(
      rpcRequest('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { signal: client.signal }),
    )
    await settle()
    expect(t.clock.pending).toBe(timers)
    store.get = get
    await listen(t, { taskIds: [taskId] })
  })
})

describe('a client that does not read its stream', () => {
  /** Each reading of the text makes one frame of a megabyte. */
  class LargeStore extends InMemoryTaskStore {
    frames = 0
    override async get(taskId: string): Promise<TaskRecord | undefined> {
      const record = await super.get(taskId)
      if (record === undefined) return undefined
      const text = () => {
        this.frames += 1
        return 'x'.repeat(MEGABYTE)
      }
      const task = Object.defineProperty({ ...record.task }, 'statusMessage', { get: text, enumerable: true })
      return { ...record, task }
    }
  }

  it('[EDGE-16] a reader that does not read has one large state of a task waiting, not all of them', async () => {
    const store = new LargeStore()
    const t = startServer({ store, tools: [ask] })
    const taskIds = []
    for (let count = 0; count < 64; count += 1) taskIds.push(await t.start('ask'))
    await settle()
    store.frames = 0
    await open(t, { taskIds })
    await settle()
    expect(store.frames).toBe(1)
  })

  it('[EDGE-16] a stream that is full and not read for a minute is cut, and its place is free', async () => {
    const store = new LargeStore()
    const t = startServer({ store, tools: [ask], maxStreams: 1 })
    const taskIds = [await t.start('ask'), await t.start('ask')]
    const timers = t.clock.pending
    const body = await open(t, { taskIds })
    await t.clock.advance(45_000)
    expect((await listenInVain(t, { taskIds })).error?.code).toBe(-32010)
    await t.clock.advance(30_000)
    await expect(new Response(body).text()).rejects.toThrow('The stream was closed because it was not read')
    expect(t.clock.pending).toBe(timers)
    await open(t, { taskIds })
  })

  it('[EDGE-16] a stream of other notifications is cut where a megabyte waits, and its place is free', async () => {
    const t = startServer({ tools: [ask], maxStreams: 1, serverOptions: { capabilities: RESOURCES } })
    const uri = `file:///${'x'.repeat(10_000)}`
    const filter = { resourceSubscriptions: [uri] }
    const body = await open(t, filter)
    for (let count = 0; count < 90; count += 1) t.server.notify.resourceUpdated(uri)
    await settle()
    expect((await listenInVain(t, filter)).error?.code).toBe(-32010)
    for (let count = 0; count < 90; count += 1) {
      t.server.notify.resourceUpdated(uri)
      await settle()
    }
    await expect(new Response(body).text()).rejects.toThrow('The stream was closed because it was not read')
    await open(t, filter)
  })

  it('[EDGE-16] a client that reads slowly keeps its stream, and gets the newest state of each task', async () => {
    const store = new LargeStore()
    const t = startServer({ store, tools: [ask] })
    const taskIds = []
    for (let count = 0; count < 5; count += 1) taskIds.push(await t.start('ask'))
    const reader = (await open(t, { taskIds })).getReader()
    let bytes = 0
    for (let count = 0; count < 6; count += 1) {
      await t.clock.advance(40_000)
      bytes += (await reader.read()).value?.byteLength ?? 0
    }
    expect(bytes).toBeGreaterThan(5 * MEGABYTE)
  })
})
