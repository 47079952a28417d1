import { defineTool, type ToolContext, type ToolDefinition } from 'taskwire/server'
import { describe, expect, it, vi } from 'vitest'
import { createManualClock } from './support/manualClock.js'
import { TASKS } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore, SilentStore } from './support/silentStore.js'
import { slow, text } from './support/tools.js'

const LEASE_MS = 30_000

/** A server whose store takes no changes for a time. */
function setup(handler: ToolDefinition['handler'], store = new SharedStore()) {
  const clock = createManualClock()
  let isAway = false
  const { transition } = store
  store.transition = (next, version) =>
    isAway ? Promise.reject(new Error('read-only')) : transition.call(store, next, version)
  const set = (away: boolean) => {
    isAway = away
  }
  const server = startServer({
    store,
    clock,
    leaseMs: LEASE_MS,
    tools: [defineTool({ ...slow, onOrphan: 'retry', handler })],
  })
  return { ...server, set }
}

describe('a change that a handler makes while the store takes none', () => {
  const changes: [string, (context: ToolContext) => unknown][] = [
    ['progress() in words', ({ progress }) => progress('at it')],
    ['progress() in numbers', ({ progress }) => progress(1, 2)],
    ['once()', ({ once }) => once('step', () => 1)],
  ]

  it.each(changes)('%s is made when the store is back, and the handler ends as it would have', async (_, change) => {
    const t = setup(async (_args, context) => {
      t.set(true)
      await change(context)
      return text('done')
    })
    const taskId = await t.start('slow')
    await t.clock.advance(4000)
    t.set(false)
    await t.clock.advance(6000)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
  })

  it('is an input request, too, which clients see once the store is back', async () => {
    const t = setup(async (_args, { elicit }) => {
      t.set(true)
      await elicit({ mode: 'url', message: 'Sign in', url: 'https://a.example' })
      return text('done')
    })
    const taskId = await t.start('slow', {}, { capabilities: { ...TASKS, elicitation: { url: {} } } })
    await t.clock.advance(4000)
    t.set(false)
    await t.clock.advance(6000)
    expect(await t.get(taskId)).toMatchObject({ status: 'input_required' })
  })

  it('is made before those that the handler makes later, also where it awaits none', async () => {
    const t = setup(async (_args, { progress, sleep }) => {
      t.set(true)
      void progress('first')
      await sleep(3000)
      t.set(false)
      void progress('second')
      await sleep(60_000)
      return text('done')
    })
    const taskId = await t.start('slow')
    await t.clock.advance(10_000)
    expect(await t.get(taskId)).toMatchObject({ status: 'working', statusMessage: 'second' })
  })

  it('is reported once, as an error of the server', async () => {
    const t = setup(async (_args, { progress }) => {
      t.set(true)
      await progress('at it')
      return text('done')
    })
    await t.start('slow')
    await t.clock.advance(3000)
    const readOnly = t.errors.filter(({ error }) => String(error) === 'Error: read-only')
    expect(readOnly.map(({ context }) => context)).toEqual([{ source: 'server', tool: 'slow' }])
  })

  it('fails the task after one lease in true words, where no other process could take it', async () => {
    const thrown = vi.fn()
    const t = setup(async (_args, { progress }) => {
      t.set(true)
      await progress('at it').catch((error: unknown) => {
        thrown(error)
        throw error
      })
      return text('done')
    }, new SilentStore())
    const taskId = await t.start('slow')
    await t.clock.advance(LEASE_MS)
    expect(thrown.mock.calls).toMatchObject([[{ name: 'TaskStorageError', cause: new Error('read-only') }]])
    t.set(false)
    await t.clock.advance(5000)
    expect(await t.get(taskId)).toMatchObject({
      status: 'failed',
      error: {
        code: -32603,
        message: 'The server could not store the outcome of the tool, which may have run in part.',
      },
    })
  })

  it('is given up where the lease is over, since another process may have the task', async () => {
    const thrown = vi.fn()
    const attempts: number[] = []
    const t = setup(async (_args, { progress, attempt }) => {
      attempts.push(attempt)
      if (attempt > 1) return text('done')
      t.set(true)
      await progress('at it').catch((error: unknown) => {
        thrown(error)
        throw error
      })
      return text('not here')
    })
    const taskId = await t.start('slow')
    await t.clock.advance(LEASE_MS)
    expect(String(thrown.mock.calls[0])).toContain('The lease of the task has expired')
    t.set(false)
    await t.clock.advance(2 * LEASE_MS)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed' })
    expect(attempts).toEqual([1, 2])
  })
})
