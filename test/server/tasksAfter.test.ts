import type { CallToolResult } from '@modelcontextprotocol/server'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { InMemoryTaskStore } from '../../src/server/tasks/inMemoryTaskStore.js'
import { defineTool } from '../../src/server/tools/defineTool.js'
import { settle } from './support/manualClock.js'
import { type Json, rpcRequest } from './support/rpc.js'
import { startServer, type TestServerOptions } from './support/serverUnderTest.js'
import { text } from './support/tools.js'

const KEYED = { meta: { 'dev.taskwire/idempotencyKey': 'f81d4fae7dec11d0a76500a0c91e6bf6' } }

/** A server whose calls become tasks after two seconds, and a tool that reports after one. */
function startPatient(options: Partial<TestServerOptions> = {}) {
  const runs = vi.fn()
  const onAbort = vi.fn()
  const tool = defineTool({
    name: 'work',
    inputSchema: z.object({ ms: z.number().default(0), fails: z.boolean().default(false) }),
    taskSupport: 'optional',
    async handler({ ms, fails }, { progress, sleep, signal }) {
      runs()
      signal.addEventListener('abort', onAbort)
      if (ms > 1000) {
        await sleep(1000)
        await progress(1, 3, 'Begun')
        await sleep(ms - 1000)
      } else if (ms > 0) await sleep(ms)
      if (fails) throw new Error('secret')
      return text('done')
    },
  })
  const ask = defineTool({
    name: 'ask',
    inputSchema: z.object({}),
    taskSupport: 'optional',
    async handler(_, { elicit }) {
      const answer = await elicit({ message: 'Who?', requestedSchema: z.object({ name: z.string() }) })
      return text(`for ${answer.content?.name}`)
    },
  })
  const store = new InMemoryTaskStore()
  return {
    ...startServer({ store, tools: [tool, ask], augment: () => ({ afterMs: 2000 }), ...options }),
    store,
    runs,
    onAbort,
  }
}

const taskIdOf = (result: Json | undefined) => String(result?.['taskId'])

describe('a call that becomes a task after a while', () => {
  it('is answered with its result, and nothing is stored, where it ends sooner', async () => {
    const { call, clock, store } = startPatient()
    const answer = call('work', { ms: 500 })
    await settle()
    await clock.advance(500)
    expect((await answer).result).toMatchObject({ resultType: 'complete', ...text('done') })
    expect(store.size).toBe(0)
    expect(clock.pending).toBe(0)
  })

  it('becomes a task with what it has reported, and ends as one', async () => {
    const { call, clock, get, runs } = startPatient()
    const answer = call('work', { ms: 5000 })
    await settle()
    await clock.advance(1999)
    const answered = vi.fn()
    void answer.then(answered)
    await settle()
    expect(answered).not.toHaveBeenCalled()
    await clock.advance(1)
    const { result } = await answer
    expect(result).toMatchObject({ resultType: 'task', status: 'working', statusMessage: 'Begun (1 of 3)' })
    await clock.advance(3000)
    expect(await get(taskIdOf(result))).toMatchObject({ status: 'completed', result: text('done') })
    expect(runs).toHaveBeenCalledOnce()
  })

  it('becomes a task at once where it asks for input', async () => {
    const { call, get, update } = startPatient()
    const { result } = await call('ask')
    expect(result).toMatchObject({ resultType: 'task' })
    const taskId = taskIdOf(result)
    expect(await get(taskId)).toMatchObject({ status: 'input_required' })
    await update(taskId, { 'elicitation-1': { action: 'accept', content: { name: 'Ann' } } })
    expect(await get(taskId)).toMatchObject({ status: 'completed', result: text('for Ann') })
  })

  it('fails in the way that it is answered', async () => {
    const { call, clock, get } = startPatient()
    const error = { code: -32603, message: 'The tool failed unexpectedly.' }
    expect(await call('work', { fails: true })).toMatchObject({ error })
    const answer = call('work', { ms: 3000, fails: true })
    await settle()
    await clock.advance(3000)
    expect(await get(taskIdOf((await answer).result))).toMatchObject({ status: 'failed', error })
  })

  it('hands the work to the platform to keep alive, though its client has been answered', async () => {
    const { call, clock } = startPatient()
    const work: Promise<unknown>[] = []
    const isOver = vi.fn()
    const answer = call('work', { ms: 5000 }, { waitUntil: (promise) => work.push(promise) })
    await settle()
    await clock.advance(2000)
    expect((await answer).result).toMatchObject({ resultType: 'task' })
    void Promise.all(work).then(isOver)
    await clock.advance(2999)
    expect(isOver).not.toHaveBeenCalled()
    await clock.advance(1)
    expect(isOver).toHaveBeenCalled()
  })

  it.each([0, 3000])('may return structured content alone (after %s ms)', async (ms) => {
    const tool = defineTool({
      name: 'bare',
      inputSchema: z.object({}),
      outputSchema: z.object({ ok: z.boolean() }),
      taskSupport: 'optional',
      async handler(_, { sleep }) {
        await sleep(ms)
        return { structuredContent: { ok: true } } as CallToolResult
      },
    })
    const { call, clock, get, errors } = startPatient({ tools: [tool] })
    const answer = call('bare')
    await settle()
    await clock.advance(ms)
    const { result = {} } = await answer
    const ended = result['resultType'] === 'task' ? (await get(taskIdOf(result)))['result'] : result
    expect(ended).toMatchObject({ content: [], structuredContent: { ok: true } })
    expect(errors).toEqual([])
  })

  it('stops with its client before, and goes on without it after', async () => {
    const { server, clock, onAbort } = startPatient()
    const begin = (client: AbortController) =>
      server.fetch(rpcRequest('tools/call', { name: 'work', arguments: { ms: 5000 } }, { signal: client.signal }))
    const early = new AbortController()
    void begin(early)
    await settle()
    await clock.advance(1500)
    early.abort()
    await clock.advance(0)
    expect(onAbort).toHaveBeenCalledOnce()
    const late = new AbortController()
    void begin(late)
    await settle()
    await clock.advance(2000)
    late.abort()
    await clock.advance(0)
    expect(onAbort).toHaveBeenCalledOnce()
  })

  it('is cancelled as a task', async () => {
    const { call, cancel, clock, get, onAbort } = startPatient()
    const answer = call('work', { ms: 5000 })
    await settle()
    await clock.advance(2000)
    const taskId = taskIdOf((await answer).result)
    await cancel(taskId)
    expect(await get(taskId)).toMatchObject({ status: 'cancelled' })
    expect(onAbort).toHaveBeenCalledOnce()
  })

  it('gives its task to a client that comes again under its key, before and after it has ended', async () => {
    const { server, call, clock, get, runs, store } = startPatient()
    const client = new AbortController()
    const params = { name: 'work', arguments: { ms: 1500 } }
    void server.fetch(rpcRequest('tools/call', params, { ...KEYED, signal: client.signal }))
    await settle()
    await clock.advance(500)
    client.abort()
    const { result } = await call('work', params.arguments, KEYED)
    expect(result).toMatchObject({ resultType: 'task', status: 'working' })
    await clock.advance(1000)
    expect(await get(taskIdOf(result))).toMatchObject({ status: 'completed', result: text('done') })
    expect((await call('work', params.arguments, KEYED)).result).toMatchObject({ status: 'completed' })
    expect(runs).toHaveBeenCalledOnce()
    expect(store.size).toBe(1)
  })

  it('is answered with its result under a key, too', async () => {
    const { call, clock, store } = startPatient()
    const answer = call('work', { ms: 500 }, KEYED)
    await settle()
    await clock.advance(500)
    expect((await answer).result).toMatchObject({ resultType: 'complete', ...text('done') })
    expect(store.size).toBe(1)
    const slow = call('work', { ms: 5000 }, { meta: { 'dev.taskwire/idempotencyKey': 'another-key-of-this-call' } })
    await settle()
    await clock.advance(2000)
    expect((await slow).result).toMatchObject({ resultType: 'task', statusMessage: 'Begun (1 of 3)' })
  })

  it.each([0, -1, 1.5, Number.NaN])('is refused where `augment` returns { afterMs: %s }', async (afterMs) => {
    const { call, errors, runs } = startPatient({ augment: () => ({ afterMs }) })
    expect((await call('work')).error).toMatchObject({ code: -32603 })
    expect(errors).toMatchObject([
      { error: { name: 'TaskConfigurationError', message: expect.stringContaining('afterMs') } },
    ])
    expect(runs).not.toHaveBeenCalled()
  })
})

describe('a call that cannot become a task, because the store is away', () => {
  const working = defineTool({
    name: 'working',
    inputSchema: z.object({}),
    taskSupport: 'optional',
    async handler(_, { once, progress, sleep }) {
      await sleep(3000)
      await progress('Begun')
      return text(await once('step', () => 'done'))
    },
  })

  it('goes on, and is answered with its result: its tool has begun', async () => {
    const { call, clock, errors, store } = startPatient({ tools: [working] })
    const answer = call('working')
    store.create = () => Promise.reject(new Error('down'))
    await settle()
    await clock.advance(3000)
    expect((await answer).result).toMatchObject(text('done'))
    expect(errors).toMatchObject([{ error: { message: 'down' }, context: { source: 'server', tool: 'working' } }])
  })

  it('is not said to be one that was not started where its tool asks for input', async () => {
    const { call, errors, store } = startPatient()
    store.create = () => Promise.reject(new Error('down'))
    const { status, error } = await call('ask')
    expect([status, error?.code]).toEqual([200, -32603])
    expect(error?.message).toContain('may have run in part')
    expect(errors).toMatchObject([{ error: { message: 'down' } }])
  })
})
