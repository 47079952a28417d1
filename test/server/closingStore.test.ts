import { createTaskWorker, defineTool, type ToolDefinition } from 'taskwire/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { slow, text } from './support/tools.js'

const LEASE_MS = 30_000

/** Two processes over a store that refuses a number of changes, which a test sets. */
function setup(tool: Partial<ToolDefinition>) {
  const store = new SharedStore()
  const clock = createManualClock()
  let refusals = 0
  const { transition } = store
  store.transition = (next, version) => {
    if (refusals === 0) return transition.call(store, next, version)
    refusals -= 1
    return Promise.reject(new Error('read-only'))
  }
  const attempts: number[] = []
  const handler: ToolDefinition['handler'] = async (_args, { attempt, sleep }) => {
    attempts.push(attempt)
    if (attempt === 1) await sleep(60_000)
    return text('done')
  }
  const options = { store, clock, leaseMs: LEASE_MS, tools: [defineTool({ ...slow, ...tool, handler })] }
  const refuse = (count: number) => {
    refusals = count
  }
  return { first: startServer(options), second: startServer(options), clock, attempts, refuse }
}

describe('a process that closes while the store takes no changes', () => {
  it.each([1, Number.POSITIVE_INFINITY])(
    'leaves its work to another process where the tool may be run again (%s changes refused)',
    async (count) => {
      const t = setup({ onOrphan: 'retry' })
      const taskId = await t.first.start('slow')
      t.refuse(count)
      await t.first.server.close()
      t.refuse(0)
      await t.clock.advance(2 * LEASE_MS)
      expect(await t.second.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
      expect(t.attempts).toEqual([1, 2])
    },
  )

  it.each([
    [1, 'The server was shut down before the tool had finished.'],
    [2, 'The worker was lost; the tool may have run in part.'],
  ])(
    'fails its work for a true reason, which is not that of the handler that it has stopped (%s)',
    async (count, why) => {
      const t = setup({ onOrphan: 'fail' })
      const taskId = await t.first.start('slow')
      t.refuse(count)
      await t.first.server.close()
      await t.clock.advance(2 * LEASE_MS)
      expect(await t.second.get(taskId)).toMatchObject({ status: 'failed', statusMessage: why })
    },
  )
})

describe('a process that closes while work is about to begin', () => {
  /** What the store is asked to do waits until a test lets it happen. */
  function holdUp(store: SharedStore, what: 'create' | 'transition'): () => void {
    const operation = store[what].bind(store) as (...args: unknown[]) => Promise<unknown>
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    Object.assign(store, { [what]: (...args: unknown[]) => released.then(() => operation(...args)) })
    return release
  }

  function setupTwo() {
    const runs = vi.fn()
    const handler: ToolDefinition['handler'] = async (_args, { sleep }) => {
      runs()
      await sleep(1000)
      return text('done')
    }
    const tools = [defineTool({ ...slow, handler })]
    return { runs, options: { store: new SharedStore(), clock: createManualClock(), leaseMs: LEASE_MS, tools } }
  }

  it('leaves a job that it has just claimed to another worker, though the tool may not run twice', async () => {
    const { runs, options } = setupTwo()
    const queue = createMemoryQueue()
    const web = startServer({ ...options, executor: queue })
    const startWorker = () =>
      createTaskWorker({ ...options, serverInfo: { name: 'test', version: '1.0.0' }, queue, onError() {} })
    const first = startWorker()
    const release = holdUp(options.store, 'transition')
    const taskId = await web.start('slow')
    await settle()
    const closed = first.close()
    release()
    await closed
    expect(runs).not.toHaveBeenCalled()
    const second = startWorker()
    onTestFinished(() => second.close())
    await settle()
    await options.clock.advance(1000)
    expect(await web.get(taskId)).toMatchObject({ status: 'completed', result: text('done') })
    expect(runs).toHaveBeenCalledOnce()
  })

  it('answers with the task that it was creating, which has failed for the true reason', async () => {
    const { options } = setupTwo()
    const [first, second] = [startServer(options), startServer(options)]
    const release = holdUp(options.store, 'create')
    const answer = first.call('slow')
    await settle()
    const closed = first.server.close()
    await settle()
    release()
    await closed
    const { result } = await answer
    expect(result).toMatchObject({ resultType: 'task' })
    expect(await second.get(String(result?.['taskId']))).toMatchObject({
      status: 'failed',
      statusMessage: 'The server was shut down before the tool had finished.',
    })
  })
})

it('a process that closes does not hand work over whose cancellation was requested', async () => {
  const store = new SharedStore()
  const clock = createManualClock()
  const attempts: number[] = []
  const handler: ToolDefinition['handler'] = async (_args, { attempt }) => {
    attempts.push(attempt)
    // It takes long to stop.
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 60_000))
    return text('done')
  }
  const options = { store, clock, leaseMs: LEASE_MS, tools: [defineTool({ ...slow, onOrphan: 'retry', handler })] }
  const [first, second] = [startServer(options), startServer(options)]
  const taskId = await first.start('slow')
  await second.cancel(taskId)
  await first.server.close()
  await clock.advance(2 * LEASE_MS)
  expect(await second.get(taskId)).toMatchObject({ status: 'cancelled' })
  expect(attempts).toEqual([1])
})
