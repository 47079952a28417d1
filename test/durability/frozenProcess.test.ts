import type { Environment, KeptResults, TaskClient, TaskStorage, ToolCall } from 'taskwire'
import { keptResults, type ResultItems } from 'taskwire/results'
import { createSimulatedBrowser } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  createScriptedServer,
  held,
  http,
  result,
  snapshot,
} from '../support/scriptedServer.js'
import { knowsKeys } from '../support/visits.js'

type Locks = NonNullable<Environment['locks']>

/** Locks of processes: one that is frozen keeps its lock until the lease ends, and does not learn that it did. */
function createLeases() {
  const holders = new Map<string, { isHeld: boolean }>()
  const waiting: { name: string; grant: () => void }[] = []
  let losesNext = false

  function next(name: string): void {
    const index = waiting.findIndex((each) => each.name === name)
    if (!holders.has(name) && index >= 0) waiting.splice(index, 1)[0]?.grant()
  }

  const locks: Locks = {
    request: async (name, _options, hold) => {
      await new Promise<void>((grant) => {
        waiting.push({ name, grant })
        next(name)
      })
      const lease = { isHeld: true }
      holders.set(name, lease)
      try {
        const done = hold({ isHeld: () => lease.isHeld })
        if (!losesNext || !name.includes(':call:')) return await done
        losesNext = false
        lease.isHeld = false
        throw new Error('Its lease has ended.')
      } finally {
        if (holders.get(name) === lease) holders.delete(name)
        next(name)
      }
    },
  }
  return {
    locks,
    /** The lease of the next call ends as soon as its process has it. */
    loseNext: () => {
      losesNext = true
    },
    /** The leases of all locks of that kind end, and whoever waits has them. */
    end: (of: 'call' | 'input' = 'call') => {
      for (const [name, lease] of [...holders]) {
        if (!name.includes(`:${of}:`)) continue
        lease.isHeld = false
        holders.delete(name)
        next(name)
      }
    },
  }
}

type Pause = (operation: 'read' | 'write') => Promise<void>

/** A storage that processes share. `arrive`: before what is written has arrived, `answer`: before the answer comes. */
function createSharedStorage(): (arrive: Pause, answer: Pause) => TaskStorage {
  const items = new Map<string, string>()
  return (arrive, answer) => ({
    getItem: async (key) => {
      const item = items.get(key)
      await answer('read')
      return item
    },
    setItem: () => expect.unreachable('It would write over what others have noted.'),
    removeItem: async (key) => void items.delete(key),
    replaceItem: async (key, before, after) => {
      await arrive('write')
      const isReplaced = items.get(key) === before
      if (isReplaced && after === undefined) items.delete(key)
      else if (isReplaced && after !== undefined) items.set(key, after)
      await answer('write')
      return isReplaced
    },
    keys: async (prefix) => [...items.keys()].filter((key) => key.startsWith(prefix ?? '')),
  })
}

const NO_PAUSE: Pause = () => Promise.resolve()

/** A server, and processes that follow calls with its client. */
function setUp() {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', completed())
  const { locks, end, loseNext } = createLeases()
  const outcomes: unknown[] = []

  function openProcess(storage: TaskStorage, hears = false, results?: KeptResults): TaskClient {
    const { environment } = browser.openPage()
    const { channel = () => expect.unreachable() } = environment
    return createTaskClient({
      url: 'https://tasks.example/mcp',
      storage,
      transportOptions: { fetch: server.fetch },
      // What is said while it is frozen does not arrive.
      environment: {
        ...environment,
        locks,
        channel: hears ? channel : (name) => ({ ...channel(name), onMessage: () => () => {} }),
      },
      push: false,
      ...(results && { results }),
    } as Parameters<typeof createTaskClient>[0])
  }

  const start = (client: TaskClient) =>
    void client.callTool({ name: 'report' }, { key: 'Q3' }).then(
      (result) => outcomes.push(result.content),
      (error: Error) => outcomes.push(error.name),
    )
  return { browser, server, endLeases: end, loseNext, outcomes, openProcess, start }
}

const DONE = [{ type: 'text', text: 'done' }]
const INTERRUPTED = 'ToolCallInterruptedError'

const NO_ITEMS: ResultItems = {
  get: async () => undefined,
  set: async () => {},
  remove: async () => {},
  names: async () => [],
}

describe.each([
  ['a process', undefined],
  ['a process that keeps results', keptResults({ items: NO_ITEMS })],
])('%s', (_who, results) => {
  it.each([
    // The other process has made the call, and both show its result.
    ['before it knew what was noted of the call', 'read', 1, 'answer', 1, [DONE, DONE]],
    ['between reading and noting the call', 'read', 2, 'answer', 1, [DONE, DONE]],
    ['so that its note of the call arrived only afterwards', 'write', 1, 'arrive', 1, [DONE, DONE]],
    // The other process finds the note of a call that nobody has sent, which nobody can know.
    ['when its note of the call had arrived', 'write', 1, 'answer', 0, [INTERRUPTED, INTERRUPTED]],
  ] as const)(
    'that was frozen %s sends nothing once another process has its lock',
    async (_when, frozenIn, times, at, calls, shown) => {
      const { browser, server, endLeases, outcomes, openProcess, start } = setUp()
      const open = createSharedStorage()
      let left: number = times
      let thaw = () => {}
      const freeze: Pause = (operation) => {
        if (operation !== frozenIn || --left !== 0) return Promise.resolve()
        return new Promise<void>((resolve) => {
          thaw = resolve
        })
      }
      const frozen = openProcess(at === 'arrive' ? open(freeze, NO_PAUSE) : open(NO_PAUSE, freeze), false, results)
      const other = openProcess(open(NO_PAUSE, NO_PAUSE), false, results)
      start(frozen)
      await browser.advance(1000)
      start(other)
      await browser.advance(1000)
      expect(server.received('tools/call')).toHaveLength(0)
      endLeases()
      await browser.advance(500)
      thaw()
      await browser.advance(20_000)
      expect(server.received('tools/call')).toHaveLength(calls)
      expect(outcomes).toEqual(shown)
    },
  )
})

it.each([
  ['does not answer', () => new Promise<void>(() => {})],
  ['fails', () => Promise.reject(new Error('The database is away.'))],
])('a call waits for a storage of several processes that %s, and is made once', async (_how, whileAway) => {
  const { browser, server, outcomes, openProcess, start } = setUp()
  const open = createSharedStorage()
  let isAway = true
  const whileThere: Pause = () => (isAway ? whileAway() : Promise.resolve())
  const processes = [openProcess(open(whileThere, whileThere)), openProcess(open(whileThere, whileThere))]
  for (const process of processes) start(process)
  await browser.advance(30_000)
  expect(server.received('tools/call')).toHaveLength(0)
  isAway = false
  await browser.advance(30_000)
  expect(server.received('tools/call')).toHaveLength(1)
  expect(outcomes).toEqual([DONE, DONE])
})

it('a process that could not read what is noted of a call does not make it again', async () => {
  const { browser, server, outcomes, openProcess, start } = setUp()
  const open = createSharedStorage()
  start(openProcess(open(NO_PAUSE, NO_PAUSE)))
  await browser.advance(5000)
  expect(outcomes).toEqual([DONE])
  let failures = 1
  const failOnce: Pause = () =>
    failures-- > 0 ? Promise.reject(new Error('A connection was cut.')) : Promise.resolve()
  start(openProcess(open(NO_PAUSE, failOnce)))
  await browser.advance(5000)
  expect(outcomes).toEqual([DONE, DONE])
  expect(server.received('tools/call')).toHaveLength(1)
})

it('a process that was frozen between two attempts to send a response sends it no more where another one has answered', async () => {
  const { browser, server, endLeases, openProcess } = setUp()
  const method = 'elicitation/create'
  const params = { mode: 'form', message: 'Which year?', requestedSchema: { type: 'object', properties: {} } }
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { year: { method, params } } }))
  const answered = held(ack)
  server.on('tasks/update', http(503, { headers: { 'retry-after': '5' } }), answered)
  const open = createSharedStorage()
  const [frozen, other] = await Promise.all(
    [1, 2].map(async () => {
      const call = openProcess(open(NO_PAUSE, NO_PAUSE), true).startToolCall({ name: 'report' }, { key: 'Q3' })
      await browser.advance(3000)
      return call
    }),
  )
  const answer = (call: ToolCall | undefined) =>
    call?.respond('year', { action: 'decline' }).then(
      () => 'taken',
      (error: Error) => error.name,
    )
  const first = answer(frozen)
  await browser.advance(10)
  expect(server.received('tasks/update')).toHaveLength(1)
  const second = answer(other)
  endLeases('input')
  await browser.advance(10_000)
  expect(server.received('tasks/update')).toHaveLength(2)
  answered.release()
  await browser.advance(1000)
  expect(await Promise.all([first, second])).toEqual(['TaskInputError', 'taken'])
  expect(server.received('tasks/update')).toHaveLength(2)
})

it.each([
  ['cannot be listed', 'keys'],
  ['cannot be read', 'getItem'],
] as const)(
  'a process whose storage %s lists its calls once it can, and not as if there were none',
  async (_how, method) => {
    const { browser, openProcess, start } = setUp()
    const open = createSharedStorage()
    start(openProcess(open(NO_PAUSE, NO_PAUSE)))
    await browser.advance(5000)
    const storage = open(NO_PAUSE, NO_PAUSE)
    let isAway = true
    const client = openProcess({
      ...storage,
      [method]: (text: string) =>
        isAway ? Promise.reject(new Error('The database is away.')) : storage[method]?.(text),
    })
    let isListed = false
    const listed = client.resumeToolCalls().then(() => {
      isListed = true
    })
    await browser.advance(30_000)
    expect(isListed).toBe(false)
    isAway = false
    await browser.advance(2000)
    await listed
    expect(Object.values(client.store.getState().calls)).toMatchObject([{ key: 'Q3' }])
  },
)

it('a process that cannot read one of its calls looks once what became of the others', async () => {
  const { browser, server, openProcess, start } = setUp()
  const open = createSharedStorage()
  const storage = open(NO_PAUSE, NO_PAUSE)
  start(openProcess(storage))
  await browser.advance(5000)
  server.on('tools/call', held(created()))
  openProcess(storage).startToolCall({ name: 'report' }, { key: 'Q4' })
  await browser.advance(1000)
  const [ended] = (await storage.keys?.()) ?? []
  let isAway = true
  const client = openProcess({
    ...storage,
    getItem: (key) =>
      isAway && key === ended ? Promise.reject(new Error('A connection was cut.')) : storage.getItem(key),
  })
  const listed = server.received('tools/list').length
  void client.resumeToolCalls()
  await browser.advance(30_000)
  expect(server.received('tools/list').length - listed).toBeLessThanOrEqual(1)
  isAway = false
  await browser.advance(5000)
  expect(server.received('tools/list').length - listed).toBe(1)
})

it('a call whose note cannot be written is not sent, tried with backoff, and made as soon as it can', async () => {
  const { browser, server, outcomes, openProcess, start } = setUp()
  let isFull = true
  let writes = 0
  const write: Pause = (operation) => {
    if (operation === 'write') writes += 1
    return isFull && operation === 'write' ? Promise.reject(new Error('No room.')) : Promise.resolve()
  }
  start(openProcess(createSharedStorage()(write, NO_PAUSE)))
  await browser.advance(30_000)
  expect(server.received('tools/call')).toHaveLength(0)
  expect(writes).toBeGreaterThan(3)
  expect(writes).toBeLessThan(20)
  isFull = false
  await browser.advance(30_000)
  expect(server.received('tools/call')).toHaveLength(1)
  expect(outcomes).toEqual([DONE])
})

it('a call whose lock is lost before it is used waits for it again, and is made once', async () => {
  const { browser, server, loseNext, outcomes, openProcess, start } = setUp()
  const open = createSharedStorage()
  const answered = held(created())
  server.on('tools/call', answered)
  start(openProcess(open(NO_PAUSE, NO_PAUSE)))
  await browser.advance(500)
  start(openProcess(open(NO_PAUSE, NO_PAUSE)))
  await browser.advance(500)
  loseNext()
  answered.release()
  await browser.advance(10_000)
  expect(outcomes).toEqual([DONE, DONE])
  expect(server.received('tools/call')).toHaveLength(1)
})

it('a process that loses its lock between two attempts repeats the call, under the key that another one has used up', async () => {
  const { browser, server, endLeases, outcomes, openProcess, start } = setUp()
  const open = createSharedStorage()
  const text = (value: string) => result({ content: [{ type: 'text', text: value }] })
  server.on('server/discover', result({ supportedVersions: ['2026-07-28'], capabilities: knowsKeys() }))
  server.on('tools/call', http(503, { headers: { 'retry-after': '5' } }), text('done'))
  start(openProcess(open(NO_PAUSE, NO_PAUSE)))
  await browser.advance(1000)
  start(openProcess(open(NO_PAUSE, NO_PAUSE)))
  await browser.advance(1000)
  expect(server.received('tools/call')).toHaveLength(1)
  endLeases()
  await browser.advance(1000)
  expect(outcomes).toEqual([DONE])
  await browser.advance(20_000)
  expect(outcomes).toEqual([DONE, DONE])
  const keys = server.received('tools/call').map(({ params }) => Object(params['_meta'])['dev.taskwire/idempotencyKey'])
  expect(keys).toEqual([keys[0], keys[0], keys[0]])
  expect(keys[0]).toMatch(/^.{8,}$/)
})

// process A  tools/call ─ no response ─ notes it again ─ frozen ── cancel() ─ thaws: cancelled, and notes that
// process B                                                                        the same call: cancelled
it('a call that was sent, and is cancelled when its process has lost its lock, is not sent again', async () => {
  const { browser, server, endLeases, outcomes, openProcess, start } = setUp()
  const open = createSharedStorage()
  server.on('server/discover', result({ supportedVersions: ['2026-07-28'], capabilities: knowsKeys() }))
  server.on('tools/call', http(503, { headers: { 'retry-after': '5' } }), created())
  let writes = 0
  let thaw = () => {}
  const frozen = openProcess(
    open(NO_PAUSE, async (operation) => {
      if (operation !== 'write' || ++writes !== 2) return
      await new Promise<void>((resolve) => {
        thaw = resolve
      })
    }),
  )
  start(frozen)
  await browser.advance(6000)
  expect([writes, server.received('tools/call').length]).toEqual([2, 1])
  endLeases()
  frozen
    .toolCalls()
    .cancelAll()
    .catch(() => {})
  thaw()
  await browser.advance(1000)
  start(openProcess(open(NO_PAUSE, NO_PAUSE)))
  await browser.advance(20_000)
  expect(outcomes).toEqual(['TaskCancelledError', 'TaskCancelledError'])
  expect(server.received('tools/call')).toHaveLength(1)
})

it('a process that finds an interrupted call, and loses its lock, waits for it again', async () => {
  const { browser, server, endLeases, loseNext, openProcess, start } = setUp()
  const open = createSharedStorage()
  server.on('tools/call', held(created()))
  start(openProcess(open(NO_PAUSE, NO_PAUSE)))
  await browser.advance(500)
  const other = openProcess(open(NO_PAUSE, NO_PAUSE))
  await Promise.all([other.resumeToolCalls(), browser.advance(1000)])
  loseNext()
  endLeases()
  await browser.advance(2000)
  expect(Object.values(other.store.getState().calls)).toMatchObject([{ phase: 'failed', error: { name: INTERRUPTED } }])
})
