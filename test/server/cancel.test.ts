import { describe, expect, it } from 'vitest'
import { defineTool } from '../../src/server/tools/defineTool.js'
import { settle } from './support/manualClock.js'
import { startServer } from './support/serverUnderTest.js'
import { slow, stubborn, text } from './support/tools.js'

describe('tasks/cancel', () => {
  it('acknowledges with nothing but that', async () => {
    const { start, cancel } = startServer({ tools: [slow] })
    expect((await cancel(await start('slow'))).result).toEqual({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'test', version: '1.0.0' } },
    })
  })

  it('stops a tool that listens, whose task is cancelled then', async () => {
    const { clock, start, cancel, get, errors } = startServer({ tools: [slow] })
    const taskId = await start('slow', { ms: 5000 })
    await clock.advance(1000)
    await cancel(taskId)
    const task = await get(taskId)
    expect(task).toMatchObject({ status: 'cancelled' })
    expect(task).toMatchObject({ lastUpdatedAt: '2026-11-01T00:00:01.000Z' })
    expect(task).not.toHaveProperty('error')
    expect(task).not.toHaveProperty('result')
    expect(errors).toEqual([])
  })

  it('lets a tool that does not listen complete', async () => {
    const { start, cancel, get } = startServer({ tools: [stubborn] })
    const taskId = await start('stubborn')
    await cancel(taskId)
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('done anyway') })
  })

  it('shows a task at work for as long as the tool is', async () => {
    const tool = defineTool({ ...slow, handler: () => new Promise(() => {}) })
    const { start, cancel, get } = startServer({ tools: [tool] })
    const taskId = await start('slow')
    await cancel(taskId)
    await cancel(taskId)
    expect(await get(taskId)).toMatchObject({ status: 'working' })
  })

  it('changes nothing about a task that is over, and acknowledges all the same', async () => {
    const { clock, start, cancel, get } = startServer({ tools: [slow] })
    const taskId = await start('slow')
    await clock.advance(1000)
    const before = await get(taskId)
    await clock.advance(1000)
    expect((await cancel(taskId)).result).toMatchObject({ resultType: 'complete' })
    expect(await get(taskId)).toEqual(before)
  })

  it('wins or loses against the tool, but never both', async () => {
    // The tool ends in the same turn in which the cancellation arrives, on either side of it.
    for (const endsFirst of [true, false]) {
      let end = () => {}
      const tool = defineTool({
        ...slow,
        handler: (_, { signal }) =>
          new Promise((resolve, reject) => {
            end = () => resolve(text('done'))
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      })
      const { start, cancel, get } = startServer({ tools: [tool] })
      const taskId = await start('slow')
      if (endsFirst) end()
      await cancel(taskId)
      end()
      const { status } = await get(taskId)
      expect(status).toBe(endsFirst ? 'completed' : 'cancelled')
      await cancel(taskId)
      await settle()
      expect(await get(taskId)).toMatchObject({ status })
    }
  })

  it('ends a task that waits for a response', async () => {
    const tool = defineTool({
      ...slow,
      handler: async (_, { listRoots }) => text(JSON.stringify(await listRoots())),
    })
    const { start, cancel, get, update } = startServer({ tools: [tool] })
    const taskId = await start('slow')
    expect(await get(taskId)).toMatchObject({ status: 'input_required' })
    await cancel(taskId)
    const task = await get(taskId)
    expect(task).toMatchObject({ status: 'cancelled' })
    expect(task).not.toHaveProperty('inputRequests')
    expect((await update(taskId, { 'roots-1': { roots: [] } })).result).toMatchObject({ resultType: 'complete' })
    expect(await get(taskId)).toEqual(task)
  })

  it('tells the tool why', async () => {
    let reason: unknown
    const tool = defineTool({
      ...slow,
      async handler(_, { signal, sleep }) {
        await sleep(1000).catch(() => {})
        reason = signal.reason
        return text('')
      },
    })
    const { start, cancel } = startServer({ tools: [tool] })
    await cancel(await start('slow'))
    await settle()
    expect(reason).toMatchObject({ name: 'TaskCancelledError' })
  })
})
