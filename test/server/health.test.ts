import { createHealthHandler, createTaskServer, createTaskWorker, type TaskStore } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createManualClock, type ManualClock } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { SharedStore } from './support/silentStore.js'
import { slow } from './support/tools.js'

const serverInfo = { name: 'test', version: '1' }

/** What is asked for, once the timers of the check have fired. */
async function elapse<T>(clock: ManualClock, asked: Promise<T>, ms = 0): Promise<T> {
  await clock.advance(ms)
  return asked
}

function start({
  store = new SharedStore(),
  queue = createMemoryQueue(),
}: {
  store?: TaskStore
  queue?: ReturnType<typeof createMemoryQueue>
} = {}) {
  const clock = createManualClock()
  const common = { serverInfo, tools: [slow], store, clock, onError: () => {} }
  const server = createTaskServer({ ...common, executor: queue })
  const worker = createTaskWorker({ ...common, queue })
  onTestFinished(async () => {
    await worker.close()
    await server.close()
  })
  const probe = async (part: typeof server | typeof worker, path: string, ms = 0) => {
    const response = await elapse(clock, createHealthHandler(part).fetch(new Request(`http://host${path}`)), ms)
    return { status: response.status, body: await response.json() }
  }
  return { clock, server, worker, probe }
}

describe('health()', () => {
  it('says that a server and a worker are ready whose store and queue answer', async () => {
    const t = start()
    const startedAt = t.clock.now()
    expect(await elapse(t.clock, t.server.health())).toEqual({
      isReady: true,
      isClosing: false,
      store: { isReachable: true, ms: 0 },
      queue: { isReachable: true, ms: 0, waiting: 0 },
      lastRenewalAt: startedAt,
      eventLoopDelayMs: 0,
    })
    await t.clock.advance(60_000)
    expect(await elapse(t.clock, t.worker.health())).toMatchObject({ isReady: true, lastRenewalAt: startedAt + 60_000 })
  })

  it('says why a process is not ready whose store fails', async () => {
    const error = new Error('ECONNREFUSED')
    const store = Object.assign(new SharedStore(), { get: () => Promise.reject(error) })
    const t = start({ store })
    expect(await elapse(t.clock, t.server.health())).toMatchObject({
      isReady: false,
      store: { isReachable: false, error },
    })
  })

  it('gives up on a store that does not answer after two seconds', async () => {
    const store = Object.assign(new SharedStore(), { get: () => new Promise(() => {}) })
    const t = start({ store })
    expect(await elapse(t.clock, t.server.health(), 2000)).toMatchObject({
      isReady: false,
      store: { isReachable: false, ms: 2000 },
    })
  })

  it('says so where jobs cannot be queued', async () => {
    const queue = Object.assign(createMemoryQueue(), { ready: () => Promise.reject(new Error('down')) })
    const t = start({ queue })
    expect(await elapse(t.clock, t.server.health())).toMatchObject({ isReady: false, queue: { isReachable: false } })
  })

  it('says so where claims have not been renewed for two leases', async () => {
    const store = Object.assign(new SharedStore(), { lapsed: () => Promise.reject(new Error('read-only')) })
    const t = start({ store })
    await t.clock.advance(50_000)
    expect(await elapse(t.clock, t.worker.health())).toMatchObject({ isReady: true })
    await t.clock.advance(11_000)
    expect(await elapse(t.clock, t.worker.health())).toMatchObject({ isReady: false, store: { isReachable: true } })
  })

  it('says so where a timer fires a quarter of a lease late', async () => {
    const t = start()
    const asked = t.server.health()
    const now = t.clock.now
    t.clock.now = () => now() + 7501
    expect(await elapse(t.clock, asked)).toMatchObject({ isReady: false, eventLoopDelayMs: 7501 })
  })
})

describe('the health handler', () => {
  it('answers /healthz and /readyz with 200, of a server and of a worker', async () => {
    const t = start()
    for (const part of [t.server, t.worker]) {
      expect(await t.probe(part, '/healthz')).toEqual({ status: 200, body: { isAlive: true } })
      const ready = { isReady: true, isClosing: false, store: true, queue: true }
      expect(await t.probe(part, '/probes/readyz')).toEqual({ status: 200, body: ready })
    }
  })

  it('answers /readyz with 503, and without the error, where the store fails', async () => {
    const store = Object.assign(new SharedStore(), { get: () => Promise.reject(new Error('host db.internal')) })
    const t = start({ store })
    const { status, body } = await t.probe(t.server, '/readyz')
    expect(status).toBe(503)
    expect(body).toEqual({ isReady: false, isClosing: false, store: false, queue: true })
    expect((await t.probe(t.server, '/healthz')).status).toBe(200)
  })

  it('answers /readyz with 503 from the moment when the process begins to close', async () => {
    const t = start()
    void t.worker.close({ drainMs: 1000 })
    expect(await t.probe(t.worker, '/readyz')).toMatchObject({ status: 503, body: { isClosing: true } })
    void t.server.close({ drainMs: 1000 })
    expect(await t.probe(t.server, '/readyz')).toMatchObject({ status: 503, body: { isClosing: true } })
  })

  it('answers anything else with 404 or 405', async () => {
    const t = start()
    expect((await t.probe(t.server, '/')).status).toBe(404)
    const posted = await createHealthHandler(t.server).fetch(new Request('http://host/readyz', { method: 'POST' }))
    expect(posted.status).toBe(405)
  })
})
