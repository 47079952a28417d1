import type { CallToolResult } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { defineTool } from '../../src/server/tools/defineTool.js'
import type { ToolContext } from '../../src/server/tools/toolContext.js'
import { createManualClock, settle } from './support/manualClock.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore } from './support/silentStore.js'
import { ask, failing, slow, text } from './support/tools.js'

const GENERIC = { code: -32603, message: 'The tool failed unexpectedly.' }

function toolReturning(result: unknown) {
  return defineTool({ ...slow, handler: () => result as CallToolResult })
}

describe('how tasks end', () => {
  it('shows the work, its status message and then its result', async () => {
    const tool = defineTool({
      ...slow,
      async handler({ ms }, { progress, sleep }) {
        await sleep(ms)
        await progress('half done')
        await sleep(ms)
        return text('done')
      },
    })
    const { clock, start, get } = startServer({ tools: [tool] })
    const taskId = await start('slow', { ms: 1000 })
    expect(await get(taskId)).not.toHaveProperty('statusMessage')
    await clock.advance(1500)
    expect(await get(taskId)).toMatchObject({
      resultType: 'complete',
      status: 'working',
      statusMessage: 'half done',
      createdAt: '2026-11-01T00:00:00.000Z',
      lastUpdatedAt: '2026-11-01T00:00:01.000Z',
    })
    await clock.advance(500)
    const completed = await get(taskId)
    expect(completed).toMatchObject({ resultType: 'complete', status: 'completed', result: text('done') })
    expect(completed).toMatchObject({ lastUpdatedAt: '2026-11-01T00:00:02.000Z' })
    // What the call itself would have been answered with.
    expect(completed).toHaveProperty('result.resultType', 'complete')
    for (const field of ['statusMessage', 'error', 'inputRequests', 'requestState']) {
      expect(completed).not.toHaveProperty(field)
    }
  })

  it('completes with isError where the tool says so itself', async () => {
    const { start, get } = startServer({ tools: [failing] })
    const task = await get(await start('failing', { how: 'isError' }))
    expect(task).toMatchObject({ status: 'completed', result: { isError: true, ...text('no such file') } })
  })

  it('fails with the code, message and data of a protocol error', async () => {
    const { start, get, errors } = startServer({ tools: [failing] })
    const task = await get(await start('failing', { how: 'protocol' }))
    expect(task).toMatchObject({
      status: 'failed',
      statusMessage: 'Out of paper',
      error: { code: -32050, message: 'Out of paper', data: { tray: 2 } },
    })
    expect(task).not.toHaveProperty('result')
    expect(errors).toEqual([])
  })

  it('fails with a generic message for any other error, and tells the operator', async () => {
    const { start, get, errors } = startServer({ tools: [failing] })
    const task = await get(await start('failing', { how: 'bug' }))
    expect(task).toMatchObject({ status: 'failed', statusMessage: GENERIC.message, error: GENERIC })
    expect(JSON.stringify(task)).not.toContain('hunter2')
    expect(errors).toMatchObject([
      { error: { message: 'password=hunter2' }, context: { source: 'tool', tool: 'failing' } },
    ])
  })

  it('has the SDK check structured content, as it does for direct calls', async () => {
    const outputSchema = z.object({ total: z.number() })
    const sum = (total: unknown) =>
      defineTool({ ...slow, outputSchema, handler: () => ({ content: [], structuredContent: { total } }) })
    const good = startServer({ tools: [sum(5)] })
    expect(await good.get(await good.start('slow'))).toMatchObject({ result: { structuredContent: { total: 5 } } })
    const bad = startServer({ tools: [sum('five')] })
    const task = await bad.get(await bad.start('slow'))
    expect(task).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(task).not.toHaveProperty('result.structuredContent')
  })

  it('fails where the tool returns something that is no result', async () => {
    const { start, get } = startServer({ tools: [toolReturning({ content: 'text' })] })
    expect(await get(await start('slow'))).toMatchObject({ status: 'failed', error: { code: -32602 } })
  })

  it.each([
    ['something that is not JSON', { content: [], structuredContent: { big: 1n } }, 'its result is not JSON'],
    ['nothing', undefined, 'its result is not JSON'],
    ['a question', { resultType: 'input_required', requestState: 's' }, 'or ask with context.elicit()'],
  ])('fails where the tool returns %s, and tells the operator what to do', async (_, result, problem) => {
    const { start, get, errors } = startServer({ tools: [toolReturning(result)] })
    expect(await get(await start('slow'))).toMatchObject({ status: 'failed', error: GENERIC })
    expect(errors).toMatchObject([{ error: { name: 'TaskConfigurationError' } }])
    expect(String(errors[0]?.error)).toContain(problem)
  })

  it('survives a tool that forgets to await', async () => {
    const tool = defineTool({
      ...slow,
      handler(_, { progress, listRoots, sleep }) {
        void progress('working')
        void listRoots()
        void sleep(5000)
        return text('done')
      },
    })
    const { start, get, cancel } = startServer({ tools: [tool] })
    const taskId = await start('slow')
    expect(await get(taskId)).toMatchObject({ status: 'completed' })
    await cancel(taskId)
  })

  it('leaves the task at work where its outcome cannot be stored, and tells the operator', async () => {
    const store = new InMemoryTaskStore()
    const { clock, start, get, errors } = startServer({ store, tools: [slow] })
    const taskId = await start('slow')
    store.transition = () => Promise.reject(new Error('disk full'))
    await clock.advance(1000)
    expect(await get(taskId)).toMatchObject({ status: 'working' })
    expect(errors).toMatchObject([{ error: { message: 'disk full' }, context: { source: 'server' } }])
  })
})

describe('progress that nobody awaits', () => {
  /** A server whose store takes 10 ms for a change, and a tool that says much of its progress. */
  function startWithSlowStore(tell: (progress: ToolContext['progress']) => void) {
    const clock = createManualClock()
    const store = new SharedStore()
    const change = store.transition.bind(store)
    const changes = vi.spyOn(store, 'transition').mockImplementation(async (next, version) => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 10))
      return change(next, version)
    })
    const tool = defineTool({
      ...slow,
      async handler(_, { progress, sleep }) {
        tell(progress)
        await sleep(100)
        tell(progress)
        return text('done')
      },
    })
    const t = startServer({ store, clock, tools: [tool] })
    // When the server closes, the clock stands still.
    onTestFinished(() => changes.mockRestore())
    return { ...t, changes, reads: vi.spyOn(store, 'get') }
  }

  it('is written as fast as the store takes it, the newest at last, and no more once the tool has ended', async () => {
    const t = startWithSlowStore((progress) => {
      for (let step = 1; step <= 1000; step += 1) void progress(step, 1000)
    })
    const taskId = await t.start('slow')
    await t.clock.advance(50)
    expect(await t.get(taskId)).toMatchObject({ status: 'working', statusMessage: '1000 of 1000' })
    expect(t.changes).toHaveBeenCalledOnce()
    await t.clock.advance(100)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed' })
    const reads = t.reads.mock.calls.length
    await t.clock.advance(1000)
    expect(t.changes.mock.calls.length).toBeLessThan(6)
    expect(t.reads).toHaveBeenCalledTimes(reads)
  })

  it('keeps the number where words come after it', async () => {
    const t = startWithSlowStore((progress) => {
      void progress('Begun')
      void progress(3, 10)
      void progress('Deploying')
    })
    const taskId = await t.start('slow')
    await t.clock.advance(50)
    const { statusMessage, _meta } = await t.get(taskId)
    expect(statusMessage).toBe('Deploying')
    expect(JSON.stringify(_meta)).toContain('"progress":3')
    await t.clock.advance(100)
  })
})

describe('what is answered', () => {
  it('says of every result what type it is', async () => {
    const { call, rpc, get, update, cancel } = startServer({ tools: [failing, slow, ask] })
    const working = await call('slow')
    const born = await call('failing', { how: 'isError' })
    const taskIds = [working, born, await call('ask'), await call('failing', { how: 'protocol' })].map(({ result }) =>
      String(result?.['taskId']),
    )
    const polled = await Promise.all(taskIds.map((taskId) => get(taskId)))
    expect(polled.map(({ status }) => status)).toEqual(['working', 'completed', 'input_required', 'failed'])
    const complete = [
      ...polled,
      (await update(taskIds[0] ?? '', {})).result,
      (await cancel(taskIds[0] ?? '')).result,
      (await call('failing', { how: 'isError' }, { capabilities: {} })).result,
      (await rpc('tools/list', {})).result,
      (await rpc('server/discover', {})).result,
    ]
    expect(complete.map((result) => result?.['resultType'])).toEqual(complete.map(() => 'complete'))
    expect([working, born].map(({ result }) => result?.['resultType'])).toEqual(['task', 'task'])
  })
})

describe('how direct calls end', () => {
  const direct = { capabilities: {} }

  it('answers what would have failed the task with the same error', async () => {
    const { call, errors } = startServer({ tools: [failing] })
    expect(await call('failing', { how: 'protocol' }, direct)).toMatchObject({
      status: 200,
      error: { code: -32050, message: 'Out of paper', data: { tray: 2 } },
    })
    expect(await call('failing', { how: 'bug' }, direct)).toMatchObject({ status: 200, error: GENERIC })
    expect(errors).toMatchObject([{ error: { message: 'password=hunter2' } }])
  })

  it('answers what would have completed the task with the same result', async () => {
    const { call } = startServer({ tools: [failing] })
    expect((await call('failing', { how: 'isError' }, direct)).result).toMatchObject({ isError: true })
  })

  it('stops when the client hangs up, which is no error', async () => {
    const seen: AbortSignal[] = []
    const tool = defineTool({
      ...slow,
      async handler(_, { signal, sleep }) {
        seen.push(signal)
        await sleep(1000)
        return text('done')
      },
    })
    const { call, errors } = startServer({ tools: [tool] })
    const client = new AbortController()
    const answer = call('slow', {}, { ...direct, signal: client.signal }).catch(() => {})
    await settle()
    client.abort()
    await answer
    expect(seen.map(({ aborted }) => aborted)).toEqual([true])
    expect(errors).toEqual([])
  })
})
