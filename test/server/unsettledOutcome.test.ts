import { describe, expect, it, vi } from 'vitest'
import { createManualClock, settle } from './support/manualClock.js'
import { type RpcOptions, TASKS } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { slow, text } from './support/tools.js'

const LEASE_MS = 30_000
const keyed: RpcOptions = { meta: { 'dev.taskwire/idempotencyKey': 'f81d4fae7dec11d0a76500a0c91e6bf6' } }

/** Two processes over a store that takes no change while it is away. */
function setup(taskSupport: 'optional' | 'forbidden') {
  const store = new SharedStore()
  const clock = createManualClock()
  let isAway = false
  const { transition } = store
  store.transition = (next, version) =>
    isAway ? Promise.reject(new Error('read-only')) : transition.call(store, next, version)
  const runs = vi.fn()
  const tool = {
    ...slow,
    taskSupport,
    async handler() {
      runs()
      isAway = true
      return text(`run ${runs.mock.calls.length}`)
    },
  }
  const start = () => startServer({ store, clock, tools: [tool], leaseMs: LEASE_MS })
  return { first: start(), second: start(), store, clock, runs, comeBack: () => (isAway = false) }
}

describe('an outcome that the store does not take', () => {
  it.each([1000, 40_000])('is stored %s ms later, and a repeated call gets what the first one got', async (awayMs) => {
    const { first, second, clock, runs, comeBack } = setup('forbidden')
    expect((await first.call('slow', {}, keyed)).result).toMatchObject(text('run 1'))
    await clock.advance(awayMs)
    comeBack()
    await clock.advance(2000)
    expect((await second.call('slow', {}, keyed)).result).toMatchObject(text('run 1'))
    expect(runs).toHaveBeenCalledOnce()
    expect(first.errors.map(({ error }) => String(error))).toContain('Error: read-only')
  })

  it('is the outcome of a task, too, and the wait for it ends', async () => {
    const { first, clock, comeBack } = setup('optional')
    const taskId = await first.start('slow', {}, { capabilities: TASKS })
    await settle()
    expect(await first.get(taskId)).toMatchObject({ status: 'working' })
    comeBack()
    await clock.advance(200)
    expect(await first.get(taskId)).toMatchObject({ status: 'completed', result: text('run 1') })
  })

  it('is offered a last time where the server closes', async () => {
    const { first, store, comeBack } = setup('optional')
    const taskId = await first.start('slow')
    comeBack()
    await first.server.close()
    expect((await store.get(taskId))?.task).toMatchObject({ status: 'completed' })
  })
})
