import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTaskWorker, type TaskWorkerOptions } from './createTaskWorker.js'
import { createServerConfig } from './serverConfig.js'
import type { TaskServerOptions } from './taskServerOptions.js'
import { InMemoryTaskStore } from './tasks/inMemoryTaskStore.js'
import type { ToolDefinition } from './tools/defineTool.js'

const serverInfo = { name: 'test', version: '1' }
const tool: ToolDefinition = {
  name: 'slow',
  inputSchema: z.object({}),
  taskSupport: 'optional',
  handler: () => ({ content: [] }),
}

describe('createServerConfig', () => {
  it('needs no more than a name and tools', () => {
    const config = createServerConfig({ serverInfo, tools: [tool] })
    expect(config).toMatchObject({ pollIntervalMs: 1000, maxTasksPerOwner: 1000, maxRequestBodySize: 4 * 1024 * 1024 })
    expect(config.ttlOf(tool)).toBe(3_600_000)
  })

  it.each([
    [{ defaultTtlMs: 5000 }, undefined, 5000],
    [{ defaultTtlMs: null }, undefined, null],
    [{ defaultTtlMs: null, maxTtlMs: 9000 }, undefined, 9000],
    [{ defaultTtlMs: 5000, maxTtlMs: 9000 }, undefined, 5000],
    [{ maxTtlMs: 9000 }, undefined, 9000],
    [{ defaultTtlMs: 5000 }, 7000, 7000],
    [{ maxTtlMs: 6000 }, 7000, 6000],
    [{ maxTtlMs: 6000 }, null, 6000],
    [{}, null, null],
  ])('with %j and a tool that says %s keeps its tasks for %s ms', (options, ttlMs, expected) => {
    const config = createServerConfig({ serverInfo, tools: [], ...options })
    expect(config.ttlOf({ ...tool, ...(ttlMs !== undefined && { ttlMs }) })).toBe(expected)
  })

  it('keeps a thousand ended tasks of an owner with a name, and as many without one as of all', () => {
    const config = createServerConfig({ serverInfo, tools: [] })
    expect(['ann', ''].map((owner) => config.maxEndedTasksOf(owner))).toEqual([1000, 10_000])
    const given = createServerConfig({ serverInfo, tools: [], maxEndedTasksPerOwner: 5 })
    expect(['ann', ''].map((owner) => given.maxEndedTasksOf(owner))).toEqual([5, 5])
  })

  it('says what it needs where there are no options at all', () => {
    const refusal = '`serverInfo` has no name or no version. Pass { name, version }.'
    expect(() => createServerConfig(undefined as never)).toThrow(refusal)
    expect(() => createTaskWorker(undefined as never)).toThrow(refusal)
  })

  const broken: [string, Record<string, unknown>, string][] = [
    ['no serverInfo', { serverInfo: undefined }, '`serverInfo` has no name or no version. Pass { name, version }.'],
    [
      'no tools',
      { tools: undefined },
      '`tools` is not an array. Pass the tools made with defineTool(), or a function that returns those of an owner.',
    ],
    ['an empty tool', { tools: [undefined] }, 'a tool has no `name`. Give every tool a name of its own.'],
    ['two tools of a name', { tools: [tool, tool] }, 'two tools are named "slow". Give every tool a name of its own.'],
    [
      'a tool without a schema',
      { tools: [{ ...tool, inputSchema: { type: 'object' } }] },
      '`inputSchema` of the tool "slow" is not a Standard Schema. Pass one such as z.object({}) of zod 4.',
    ],
    [
      'a tool that does not say',
      { tools: [{ ...tool, taskSupport: undefined }] },
      "`taskSupport` of the tool \"slow\" is undefined. Pass 'forbidden', 'optional' or 'required'.",
    ],
    [
      'a tool that does nothing',
      { tools: [{ ...tool, handler: undefined }] },
      '`handler` of the tool "slow" is not a function. Pass one that does the work.',
    ],
    [
      'a tool with a wrong ttl',
      { tools: [{ ...tool, ttlMs: -1 }] },
      '`ttlMs` of the tool "slow" is -1. Pass a whole number above 0, or null for no limit.',
    ],
    ['half a millisecond', { pollIntervalMs: 0.5 }, '`pollIntervalMs` is 0.5. Pass a whole number above 0.'],
    [
      'an endless number',
      { defaultTtlMs: Number.POSITIVE_INFINITY },
      '`defaultTtlMs` is Infinity. Pass a whole number above 0, or null for no limit.',
    ],
    ['a number in quotes', { maxTasksPerOwner: '5' }, '`maxTasksPerOwner` is "5". Pass a whole number above 0.'],
    ['no room', { maxTtlMs: 0 }, '`maxTtlMs` is 0. Pass a whole number above 0.'],
    ['cors as a text', { cors: 'https://a.example' }, '`cors` is "https://a.example". Pass true, false or { origin'],
    ['cors without origins', { cors: {} }, '`cors` is {}. Pass true, false or { origin'],
    ['cors of another library', { cors: { origins: [] } }, '`cors` is { origins }. Pass true, false or { origin'],
    ['cors with more', { cors: { origin: '*', credentials: true } }, '`cors` is { origin, credentials }. Pass true'],
    ['a list as cors', { cors: ['*'] }, '`cors` is a list. Pass true, false or { origin'],
    ['a pool as store', { store: { query() {}, connect() {} } }, '`store` is a Pool of pg. Pass postgresTaskStore('],
    ['Redis as store', { store: { hget() {}, eval() {} } }, '`store` is a client of Redis. Pass redisTaskStore('],
    [
      'a store of nothing',
      { store: {} },
      '`store` is no TaskStore, which has create, get, transition, expire, remove.',
    ],
    ['an executor without start', { executor: {} }, '`executor` has no start(). Pass bullmqQueue()'],
    ['seal without open', { seal: () => '' }, 'only one of `seal` and `open` is given. Pass both to every server'],
    ['open without seal', { open: () => '' }, 'only one of `seal` and `open` is given.'],
    ['an unknown option', { maxTask: 5 }, 'there is no option `maxTask`. The options are serverInfo, tools, store'],
    ['an option of a worker', { concurrency: 5 }, 'there is no option `concurrency`.'],
    ['a name as owner', { owner: 'ann' }, '`owner` is "ann". Pass a function.'],
    ['a token as authenticate', { authenticate: 'secret' }, '`authenticate` is "secret". Pass a function.'],
    ['a word as switch', { push: 'yes' }, '`push` is "yes". Pass true or false.'],
    ['a word as interval', { pollIntervalMs: 'often' }, '`pollIntervalMs` is "often". Pass a whole number above 0.'],
    ['half a clock', { clock: { now() {} } }, '`clock` has no now(), setTimeout() and clearTimeout().'],
    [
      'a tool with an unknown option',
      { tools: [{ ...tool, retries: 3 }] },
      'there is no option `retries` of the tool "slow". The options are name, title',
    ],
    [
      'a tool that says what there is not',
      { tools: [{ ...tool, onOrphan: 'restart' }] },
      `\`onOrphan\` of the tool "slow" is "restart". Pass 'fail' or 'retry'.`,
    ],
    [
      'a tool with a JSON Schema for its results',
      { tools: [{ ...tool, outputSchema: { type: 'object' } }] },
      '`outputSchema` of the tool "slow" is not a Standard Schema.',
    ],
  ]

  it.each(broken)('says what to do about %s', (_, options, problem) => {
    const create = () => createServerConfig({ serverInfo, tools: [], ...options } as unknown as TaskServerOptions)
    expect(create).toThrow(`Failed to create the task server: ${problem}`)
    expect(create).toThrow(expect.objectContaining({ name: 'TaskConfigurationError' }))
  })
})

describe('createTaskWorker', () => {
  const store = Object.assign(new InMemoryTaskStore(), { isShared: true })
  const queue = { start: async () => {}, work: () => ({ stop: async () => {}, close: async () => {} }) }
  const broken: [string, Record<string, unknown>, string][] = [
    [
      'no queue',
      { queue: undefined },
      '`queue` has no start() and work(). Pass the queue that the server has as its `ex',
    ],
    ['an executor as queue', { queue: { start() {} } }, '`queue` has no start() and work().'],
    ['no store', { store: undefined }, '`store` is no TaskStore'],
    ['no room for jobs', { concurrency: 0 }, '`concurrency` is 0. Pass a whole number above 0.'],
    ['an option of a server', { cors: true }, 'there is no option `cors`. The options are serverInfo'],
  ]

  it.each(broken)('says what to do about %s', (_, options, problem) => {
    const create = () => createTaskWorker({ serverInfo, tools: [tool], store, queue, ...options } as TaskWorkerOptions)
    expect(create).toThrow(`Failed to create the task worker: ${problem}`)
  })

  it('needs a store that finds work that was lost', () => {
    const alone = new InMemoryTaskStore()
    expect(() => createTaskWorker({ serverInfo, tools: [tool], store: alone, queue })).toThrow('`lapsed`')
  })
})
