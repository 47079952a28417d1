import { createTaskServer } from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nothingWritten } from '../../src/server/tasks/unwritten.js'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { rpc } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { slow } from './support/tools.js'

const NOT_STARTED = 'The call was not started: the server cannot keep tasks right now. Send it again.'
const UNCLEAR =
  'The server cannot tell right now whether the call was started. Send it again under its idempotency key.'
const gone = () => Promise.reject(new TypeError('gone'))
const key = { meta: { 'dev.taskwire/idempotencyKey': 'k'.repeat(32) } }

/** A store that another process shares, and that cannot create records. */
function brokenStore(): SharedStore {
  const store = new SharedStore()
  store.create = gone
  return store
}

describe('a call whose task cannot be created', () => {
  it('is refused with 503 and Retry-After, says that it was not started, and is reported as an error of the server', async () => {
    const t = startServer({ tools: [slow], store: brokenStore(), pollIntervalMs: 2000 })
    const { status, headers, error } = await t.call('slow')
    expect([status, headers.get('retry-after'), error?.message]).toEqual([503, '2', NOT_STARTED])
    expect(t.errors).toMatchObject([{ error: new TypeError('gone'), context: { source: 'server', tool: 'slow' } }])
  })

  it('says the same where the tasks of its owner cannot be counted', async () => {
    const store = new SharedStore()
    store.countAtWork = gone
    const t = startServer({ tools: [slow], store })
    const { status, error } = await t.call('slow')
    expect([status, error?.message]).toEqual([503, NOT_STARTED])
  })

  it('does not say that it was not started where another process could start it from what may have been written', async () => {
    const t = startServer({ tools: [{ ...slow, onOrphan: 'retry' }], store: brokenStore() })
    const { status, headers, error } = await t.call('slow')
    expect([status, headers.get('retry-after'), error?.message]).toEqual([503, '1', UNCLEAR])
  })

  it('does not say that it was not started where the store fails in the middle and cannot be read any more', async () => {
    const store = brokenStore()
    store.get = () => Promise.reject(nothingWritten(new TypeError('no connection')))
    const t = startServer({ tools: [{ ...slow, onOrphan: 'retry' }], store })
    const { status, error } = await t.call('slow')
    expect([status, error?.message]).toEqual([503, UNCLEAR])
    expect(t.errors).toMatchObject([{ error: new TypeError('gone') }])
  })
})

describe('a keyed call whose job cannot be queued', () => {
  it('keeps its task, which another process has answered with in the meantime', async () => {
    const [store, clock, queue] = [new SharedStore(), createManualClock(), createMemoryQueue()]
    let fail = () => {}
    const hanging = { start: () => new Promise<void>((_, reject) => (fail = () => reject(new Error('no queue')))) }
    const options = { tools: [slow], store, clock, leaseMs: 3000 }
    const a = startServer({ ...options, executor: hanging })
    const b = createTaskServer({ ...options, serverInfo: { name: 'b', version: '1' }, executor: queue })
    onTestFinished(() => b.close())
    const first = a.call('slow', {}, key)
    await settle()
    const second = await rpc(b, 'tools/call', { name: 'slow', arguments: {} }, key)
    fail()
    expect((await first).result?.['taskId']).toBe(second.result?.['taskId'])
    await clock.advance(6000)
    expect(queue.untaken.map(({ taskId }) => taskId)).toContain(second.result?.['taskId'])
  })
})
