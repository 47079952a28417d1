import { ProtocolError } from '@modelcontextprotocol/server'
import {
  createTaskServer,
  createTaskWorker,
  defineTool,
  InMemoryTaskStore,
  type TaskLogger,
  type TaskServerEvent,
} from 'taskwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createManualClock, settle } from './support/manualClock.js'
import { createMemoryQueue } from './support/memoryQueue.js'
import { rpc } from './support/rpc.js'
import { startServer } from './support/serverUnderTest.js'
import { SharedStore, SilentStore } from './support/silentStore.js'
import { ask, slow, text } from './support/tools.js'

const DAY_MS = 86_400_000

/** A server and a worker over a queue, with a tool that fails so many times before it succeeds. */
function startFleet(failures: number, options: { seal?: (plain: string) => string; keepFailedMs?: number } = {}) {
  const clock = createManualClock()
  const store = new SharedStore()
  const queue = createMemoryQueue()
  let left = failures
  const seen: unknown[] = []
  const flaky = defineTool({
    name: 'flaky',
    inputSchema: z.object({ card: z.string() }),
    taskSupport: 'required',
    async handler(args, { sleep }) {
      await sleep(10)
      seen.push(args)
      left -= 1
      if (left >= 0) throw new ProtocolError(-32050, 'The bank did not answer')
      return text('paid')
    },
  })
  const { keepFailedMs } = options
  const events: string[] = []
  const record = ({ type }: TaskServerEvent) => void events.push(type)
  const instrument = { runTool: <T>(_call: unknown, run: () => T) => run(), record }
  const common = {
    serverInfo: { name: 'test', version: '1' },
    tools: [flaky],
    store,
    clock,
    instrument,
    onError: () => {},
  }
  const server = createTaskServer({ ...common, executor: queue, ...(keepFailedMs && { keepFailedMs }) })
  const worker = createTaskWorker({ ...common, queue })
  onTestFinished(async () => {
    await worker.close()
    await server.close()
  })
  return {
    server,
    store,
    clock,
    seen,
    events,
    async call() {
      const { result } = await rpc(server, 'tools/call', { name: 'flaky', arguments: { card: '4242' } })
      return String(result?.['taskId'])
    },
    get: async (taskId: string) => (await rpc(server, 'tasks/get', { taskId })).result,
    async run() {
      await settle()
      await clock.advance(10)
    },
  }
}

describe('the operator of a server', () => {
  it('lists tasks of all owners, the newest first, opens them, and says what they wait for', async () => {
    const t = startServer({ tools: [ask, slow], owner: (request) => request.headers.get('x-user') ?? 'nobody' })
    const first = await t.start('ask', {}, { headers: { 'x-user': 'ann' } })
    await t.clock.advance(5)
    const second = await t.start('slow', {}, { headers: { 'x-user': 'bob' } })
    const { operator } = t.server
    expect((await operator.list()).tasks).toMatchObject([
      { taskId: second, owner: 'bob', tool: 'slow', status: 'working', isWaiting: false, attempt: 1 },
      { taskId: first, owner: 'ann', tool: 'ask', status: 'input_required' },
    ])
    expect((await operator.list({ owner: 'ann' })).tasks.map(({ taskId }) => taskId)).toEqual([first])
    expect((await operator.list({ createdBefore: t.clock.now() })).tasks.map(({ taskId }) => taskId)).toEqual([first])
    expect(await operator.open(first)).toMatchObject({ openInputRequests: ['elicitation-1'], canRunAgain: false })
    expect(await operator.open('nothing')).toBeUndefined()
  })

  it('cancels a task as its client could', async () => {
    const t = startServer({ tools: [slow] })
    const taskId = await t.start('slow')
    expect(await t.server.operator.cancel(taskId)).toMatchObject({ cancelRequested: true })
    await settle()
    expect(await t.get(taskId)).toMatchObject({ status: 'cancelled' })
  })

  it.each([[{ limit: 0 }], [{ limit: 501 }], [{ limit: 1.5 }], [{ cursor: 'nonsense' }]])(
    'refuses the filter %j in words',
    async (filter) => {
      const t = startServer({ tools: [slow] })
      await expect(t.server.operator.list(filter)).rejects.toMatchObject({
        name: 'TaskConfigurationError',
        message: expect.stringContaining('Failed to list tasks'),
      })
    },
  )

  it('says so where the store cannot list', async () => {
    const store = Object.assign(new SilentStore(), { list: undefined })
    const t = startServer({ tools: [slow], store })
    await expect(t.server.operator.list()).rejects.toThrow('the store has no `list`')
  })

  it('has the call of a task that has failed made again, once, as a new task of its owner', async () => {
    const t = startFleet(1)
    const taskId = await t.call()
    await t.run()
    expect(await t.server.operator.open(taskId)).toMatchObject({
      status: 'failed',
      errorCode: -32050,
      error: { code: -32050, message: 'The bank did not answer' },
      canRunAgain: true,
    })
    const [again, twice] = await Promise.all([t.server.operator.runAgain(taskId), t.server.operator.runAgain(taskId)])
    expect(twice.taskId).toBe(again.taskId)
    expect(again.taskId).not.toBe(taskId)
    await t.run()
    expect(t.seen).toEqual([{ card: '4242' }, { card: '4242' }])
    expect(await t.get(again.taskId)).toMatchObject({ status: 'completed', result: text('paid') })
    expect(await t.get(taskId)).toMatchObject({ status: 'failed' })
    expect((await t.server.operator.runAgain(taskId)).status).toBe('completed')
    expect(t.seen).toHaveLength(2)
  })

  it('makes the call no third time where the new task had to make room for others', async () => {
    const t = startFleet(1)
    const taskId = await t.call()
    await t.run()
    const again = await t.server.operator.runAgain(taskId)
    await t.run()
    await t.store.remove(again.taskId)
    expect(await t.server.operator.open(taskId)).toMatchObject({ status: 'failed', canRunAgain: false })
    await expect(t.server.operator.runAgain(taskId)).rejects.toMatchObject({
      name: 'TaskConfigurationError',
      message: 'Failed to run a task again: it was run again before, and the new task is no longer kept.',
    })
    await t.run()
    expect(t.seen).toHaveLength(2)
    expect(t.events.filter((type) => type === 'task-ended')).toHaveLength(2)
  })

  it('makes the call no third time where the store was away once it had been made again', async () => {
    const t = startFleet(1)
    const taskId = await t.call()
    await t.run()
    const { transition } = t.store
    t.store.transition = () => Promise.reject(new Error('read-only'))
    const again = await t.server.operator.runAgain(taskId)
    t.store.transition = transition
    await t.server.operator.runAgain(taskId)
    await t.store.remove(again.taskId)
    await expect(t.server.operator.runAgain(taskId)).rejects.toThrow('it was run again before')
  })

  it('makes a call again once, also where the new task has been over for longer than its ttl', async () => {
    const t = startFleet(1)
    const taskId = await t.call()
    await t.run()
    const again = await t.server.operator.runAgain(taskId)
    await t.run()
    await t.clock.advance(3_600_001)
    expect(await t.server.operator.runAgain(taskId)).toMatchObject({ taskId: again.taskId, status: 'completed' })
    await t.run()
    await t.clock.advance(DAY_MS - 3_600_001 - 100)
    expect(await t.server.operator.runAgain(taskId)).toMatchObject({ taskId: again.taskId, status: 'completed' })
    await t.run()
    expect(t.seen).toHaveLength(2)
  })

  it('keeps what has failed for a day where it can be run again, and what has not for its ttl', async () => {
    const t = startFleet(1)
    const failed = await t.call()
    await t.run()
    const completed = await t.call()
    await t.run()
    await t.clock.advance(2 * 3_600_000)
    expect(await t.server.operator.open(completed)).toBeUndefined()
    expect(await t.server.operator.open(failed)).toMatchObject({ status: 'failed' })
    await t.clock.advance(DAY_MS)
    expect(await t.server.operator.open(failed)).toBeUndefined()
    await expect(t.server.operator.runAgain(failed)).rejects.toThrow('there is no such task')
  })

  it('keeps what has failed for as long as `keepFailedMs` says', async () => {
    const t = startFleet(1, { keepFailedMs: 3 * DAY_MS })
    const failed = await t.call()
    await t.run()
    await t.clock.advance(2 * DAY_MS)
    expect(await t.server.operator.open(failed)).toMatchObject({ canRunAgain: true })
  })

  it('runs nothing again that has not failed, or whose call was not kept', async () => {
    const t = startFleet(0)
    const taskId = await t.call()
    await t.run()
    await expect(t.server.operator.runAgain(taskId)).rejects.toThrow('its status is completed')

    const alone = startServer({
      tools: [defineTool({ ...slow, handler: () => Promise.reject(new Error('broken')) })],
      store: new InMemoryTaskStore(),
    })
    const failed = await alone.start('slow')
    await settle()
    expect(await alone.server.operator.open(failed)).toMatchObject({ status: 'failed', canRunAgain: false })
    await expect(alone.server.operator.runAgain(failed)).rejects.toThrow('its call was not kept')
  })
})

describe('the log of a server', () => {
  function collect() {
    const lines: [string, string, Readonly<Record<string, unknown>>][] = []
    const to = (level: string) => (message: string, fields: Readonly<Record<string, unknown>>) =>
      lines.push([level, message, fields])
    const logger: TaskLogger = { error: to('error'), warn: to('warn'), info: to('info'), debug: to('debug') }
    return { lines, logger }
  }

  it('tells what becomes of tasks, by a hash of their ids and without what they say', async () => {
    const { lines, logger } = collect()
    const t = startServer({ tools: [slow], logger })
    const taskId = await t.start('slow')
    await t.clock.advance(1000)
    expect(lines).toMatchObject([
      ['info', 'task created', { tool: 'slow', attempt: 1 }],
      ['info', 'task ended', { tool: 'slow', outcome: 'completed', ms: 1000 }],
    ])
    expect(lines[0]?.[2]['task']).toBe(lines[1]?.[2]['task'])
    expect(JSON.stringify(lines)).not.toContain(taskId)
  })

  it('names the request in which a tool has failed, and the limit that was reached', async () => {
    const { lines, logger } = collect()
    const broken = defineTool({
      ...slow,
      name: 'broken',
      taskSupport: 'forbidden',
      handler: () => Promise.reject(new Error('no')),
    })
    const server = createTaskServer({
      serverInfo: { name: 'test', version: '1' },
      tools: [broken, ask],
      logger,
      maxTasks: 1,
    })
    onTestFinished(() => server.close())
    await rpc(server, 'tools/call', { name: 'broken', arguments: {} }, { headers: { 'x-request-id': 'r-7' } })
    await rpc(server, 'tools/call', { name: 'broken', arguments: {} }, { headers: { 'x-request-id': 'two words' } })
    await rpc(server, 'tools/call', { name: 'ask', arguments: {} })
    await rpc(server, 'tools/call', { name: 'ask', arguments: {} })
    const errors = lines.filter(([level]) => level === 'error')
    expect(errors[0]).toMatchObject(['error', 'tool "broken" failed', { requestId: 'r-7' }])
    expect(errors[1]?.[2]['requestId']).toMatch(/^[\w-]{36}$/)
    expect(lines.filter(([level]) => level === 'warn')).toEqual([['warn', 'limit reached', { what: 'tasks' }]])
  })

  it('refuses a logger that lacks a level', () => {
    const create = () =>
      createTaskServer({ serverInfo: { name: 'test', version: '1' }, tools: [], logger: { error() {} } as never })
    expect(create).toThrow('`logger` lacks one of error, warn, info, debug')
  })
})
