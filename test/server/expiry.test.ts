import { describe, expect, it, vi } from 'vitest'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { defineTool } from '../../src/server/tools/defineTool.js'
import { startServer } from './support/serverUnderTest.js'
import { slow, text } from './support/tools.js'

describe('the ttl', () => {
  it('keeps a task, over or not, to its last millisecond and not a moment longer', async () => {
    const { clock, start, get, rpc, update, cancel } = startServer({ tools: [slow], defaultTtlMs: 5000 })
    const done = await start('slow', { ms: 1000 })
    const working = await start('slow', { ms: 60_000 })
    await clock.advance(4999)
    expect(await get(done)).toMatchObject({ status: 'completed' })
    expect(await get(working)).toMatchObject({ status: 'working' })
    await clock.advance(1)
    for (const taskId of [done, working]) {
      for (const { status, error } of [
        await rpc('tasks/get', { taskId }),
        await update(taskId, {}),
        await cancel(taskId),
      ]) {
        expect({ status, error }).toEqual({
          status: 200,
          error: { code: -32602, message: 'Invalid params: there is no such task; it may have expired' },
        })
      }
    }
  })

  it('counts from the creation, whatever happens to the task', async () => {
    const chatty = defineTool({
      ...slow,
      async handler(_, { task, sleep }) {
        for (;;) {
          await sleep(900)
          await task?.setStatus('still here')
        }
      },
    })
    const { clock, start, rpc } = startServer({ tools: [chatty], defaultTtlMs: 5000 })
    const taskId = await start('slow')
    await clock.advance(5000)
    expect((await rpc('tasks/get', { taskId })).error?.code).toBe(-32602)
  })

  it('aborts the work and frees the memory', async () => {
    const store = new InMemoryTaskStore()
    let reason: unknown
    const tool = defineTool({
      ...slow,
      handler: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
            reject(signal.reason)
          })
        }),
    })
    const { clock, start, errors } = startServer({ store, tools: [tool], defaultTtlMs: 5000 })
    await start('slow')
    await clock.advance(5000)
    expect(reason).toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
    expect(store.size).toBe(0)
    expect(clock.pending).toBe(0)
    expect(errors).toEqual([])
  })

  it('leaves alone a tool that has ended before', async () => {
    const signals: AbortSignal[] = []
    const tool = defineTool({
      ...slow,
      handler(_, { signal }) {
        signals.push(signal)
        return text('done')
      },
    })
    const { clock, start, get } = startServer({ tools: [tool], defaultTtlMs: 5000 })
    expect(await get(await start('slow'))).toMatchObject({ status: 'completed' })
    await clock.advance(5000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('is watched by one timer, however many tasks there are', async () => {
    const store = new InMemoryTaskStore()
    const tool = defineTool({ ...slow, handler: () => text('done') })
    const { clock, start } = startServer({ store, tools: [tool], defaultTtlMs: 5000 })
    for (let count = 0; count < 20; count += 1) {
      await start('slow')
      await clock.advance(10)
    }
    expect(clock.pending).toBe(1)
    await clock.advance(6000)
    expect(store.size).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('beats an outcome that comes in the same moment', async () => {
    const store = new InMemoryTaskStore()
    const transition = vi.spyOn(store, 'transition')
    const { clock, start, rpc } = startServer({ store, tools: [slow], defaultTtlMs: 5000 })
    const taskId = await start('slow', { ms: 5000 })
    await clock.advance(5000)
    expect((await rpc('tasks/get', { taskId })).error?.code).toBe(-32602)
    expect(transition).not.toHaveBeenCalled()
  })

  it('gives up an input request', async () => {
    const asked = vi.fn()
    const tool = defineTool({
      ...slow,
      async handler(_, { task }) {
        await task?.listRoots().catch(asked)
        return text('')
      },
    })
    const { clock, start, get } = startServer({ tools: [tool], defaultTtlMs: 5000 })
    await get(await start('slow'))
    await clock.advance(5000)
    expect(asked).toHaveBeenCalledWith(expect.objectContaining({ name: 'TaskExpiredError' }))
  })

  it('goes on being watched where the store fails to sweep', async () => {
    const store = new InMemoryTaskStore()
    store.expire = () => Promise.reject(new Error('disk full'))
    const { clock, start, errors } = startServer({ store, tools: [slow], defaultTtlMs: 5000 })
    await start('slow', { ms: 60_000 })
    await clock.advance(3000)
    const later = await start('slow', { ms: 60_000 })
    await clock.advance(5000)
    expect(errors.map(({ error }) => String(error))).toEqual(['Error: disk full', 'Error: disk full'])
    expect(later).toBeTypeOf('string')
  })

  it('never ends a task without one', async () => {
    const { clock, start, get } = startServer({ tools: [slow], defaultTtlMs: null })
    const taskId = await start('slow', { ms: 1000 })
    await clock.advance(10 * 365 * 24 * 3_600_000)
    expect(await get(taskId)).toMatchObject({ status: 'completed' })
  })
})
