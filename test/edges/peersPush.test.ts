import type { TaskClient, TaskClientUrlOptions } from 'taskwire'
import { createSimulatedEnvironment, type SimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient, describeFull } from '../support/anyClient.js'
import {
  created,
  createScriptedServer,
  openStream,
  result,
  type ScriptedServer,
  snapshot,
  speakLegacy,
  task,
} from '../support/scriptedServer.js'

type Stream = ReturnType<typeof openStream>

let page: SimulatedEnvironment
let server: ScriptedServer
let client: TaskClient
let start: number
let streams: Stream[]

const open = (options: Partial<TaskClientUrlOptions> = {}): TaskClient =>
  createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
    ...options,
  })

beforeEach(() => {
  page = createSimulatedEnvironment()
  start = page.now()
  server = createScriptedServer({ now: page.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  streams = []
  server.on('subscriptions/listen', (request) => {
    const stream = openStream()
    streams.push(stream)
    return stream(request)
  })
  client = open()
})

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
const listens = () => server.received('subscriptions/listen')
const polls = () => server.times('tasks/get', start)
const done = (taskId = 'task-secret-1') =>
  task({ taskId, status: 'completed', result: { content: [{ type: 'text', text: 'pushed' }] } })

/** How a server names the subscription: as the core demands, or not at all, as the example of SEP-2663. */
type Naming = 'with the id of the subscription' | 'without the id of the subscription' | 'with an id of its own'

const metaOf = (naming: Naming, index: number) => {
  if (naming === 'without the id of the subscription') return {}
  const id = naming === 'with an id of its own' ? 'sub-1' : listens()[index]?.id
  return { _meta: { [SUBSCRIPTION_ID]: id } }
}

/** The server acknowledges a stream, by default for all that it asks for. */
async function acknowledge(index = 0, taskIds?: unknown, naming: Naming = 'with the id of the subscription') {
  const notifications = taskIds === undefined ? listens()[index]?.params['notifications'] : { taskIds }
  const params = { notifications, ...metaOf(naming, index) }
  streams[index]?.send({ method: 'notifications/subscriptions/acknowledged', params })
  await page.advance(0)
}

async function push(snapshot: object, index = 0, naming: Naming = 'with the id of the subscription') {
  streams[index]?.send({ method: 'notifications/tasks', params: { ...snapshot, ...metaOf(naming, index) } })
  await page.advance(0)
}

describe.each([
  'with the id of the subscription',
  'without the id of the subscription',
  'with an id of its own',
] as const)('a server that pushes %s', (naming) => {
  it('[EDGE-20] ends a task of 1.5 s after 1.5 s', async () => {
    const call = client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge()
    await page.advance(1400)
    await push(done(), 0, naming)
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'pushed' }] })
    expect(page.now() - start).toBe(1500)
  })

  it('[EDGE-20] is polled at the safety interval once it has told something', async () => {
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge()
    await push(task(), 0, naming)
    await page.advance(59_900)
    expect(polls()).toEqual([30_100])
  })
})

it('[EDGE-20] an acknowledgement without the id of the subscription counts where it names tasks', async () => {
  const call = client.startToolCall({ name: 'work' })
  await page.advance(100)
  await acknowledge(0, undefined, 'without the id of the subscription')
  await push(task({ statusMessage: 'half' }), 0, 'without the id of the subscription')
  expect(call.getState().task?.statusMessage).toBe('half')
  await page.advance(20_000)
  expect(polls()).toEqual([])
})

it('[EDGE-20] an acknowledgement without the id of the subscription is for the stream that was opened last', async () => {
  server.on('tools/call', created(), created({ taskId: 'task-secret-2' }))
  server.on('tasks/get', ({ params, ...request }) => snapshot({ taskId: params['taskId'] })({ params, ...request }))
  client.startToolCall({ name: 'work' })
  await page.advance(100)
  await acknowledge(0, undefined, 'without the id of the subscription')
  client.startToolCall({ name: 'work' })
  await page.advance(100)
  await acknowledge(1, undefined, 'without the id of the subscription')
  expect(listens()[0]?.signal?.aborted).toBe(true)
  await push(task({ taskId: 'task-secret-2' }), 1, 'without the id of the subscription')
  await push(task(), 1, 'without the id of the subscription')
  await page.advance(20_000)
  expect(polls()).toEqual([])
})

it('[EDGE-20] a pushed task that no stream asked for changes nothing', async () => {
  const call = client.startToolCall({ name: 'work' })
  await page.advance(100)
  await acknowledge()
  await push(done('task-secret-2'), 0, 'without the id of the subscription')
  await page.advance(1000)
  expect(call.getState().phase).toBe('working')
  expect(polls()).toEqual([1000])
})

describe('a server that acknowledges a subscription', () => {
  it('[EDGE-20] and never tells anything is polled at the interval of the task', async () => {
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge()
    await page.advance(4900)
    expect(polls()).toEqual([1000, 2000, 3000, 4000, 5000])
    expect(listens()).toHaveLength(1)
  })

  it('[EDGE-20] and tells of one task only is polled for the other at its interval', async () => {
    server.on('tools/call', created({ taskId: 'task-secret-1' }), created({ taskId: 'task-secret-2' }))
    server.on('tasks/get', ({ params, ...request }) => snapshot({ taskId: params['taskId'] })({ params, ...request }))
    client.startToolCall({ name: 'work' })
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge()
    await push(task({ taskId: 'task-secret-1' }))
    await page.advance(2900)
    expect(server.received('tasks/get').map(({ params }) => params['taskId'])).toEqual(
      Array.from({ length: 3 }, () => 'task-secret-2'),
    )
  })

  it('[EDGE-20] and tells what cannot be read has told nothing', async () => {
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge()
    await push({ taskId: 'task-secret-1', status: 'dancing' })
    await page.advance(2900)
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it('[EDGE-20] has to tell something again after the stream broke off', async () => {
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge()
    await push(task())
    await page.advance(4900)
    expect(polls()).toEqual([])
    streams[0]?.end()
    await page.advance(2000)
    await acknowledge(1)
    const before = polls().length
    await page.advance(3000)
    expect(polls().length - before).toBe(3)
  })

  it('[EDGE-20] goes on to count as telling where the stream is only renewed for another task', async () => {
    server.on(
      'tools/call',
      created({ taskId: 'task-secret-1' }),
      created({ taskId: 'task-secret-2', pollIntervalMs: 60_000 }),
    )
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge()
    await push(task())
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge(1)
    await page.advance(9000)
    expect(polls()).toEqual([])
  })
})

// [TASK-LISTEN-ACKNOWLEDGED]
describe('an acknowledgement', () => {
  beforeEach(() => {
    server.on('tools/call', created({ taskId: 'task-secret-1' }), created({ taskId: 'task-secret-2' }))
    server.on('tasks/get', ({ params, ...request }) => snapshot({ taskId: params['taskId'] })({ params, ...request }))
  })
  const polled = () => server.received('tasks/get').map(({ params }) => params['taskId'])

  it('[EDGE-23] of one of two tasks lets the other be polled at its interval', async () => {
    client.startToolCall({ name: 'work' })
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    await acknowledge(0, ['task-secret-1'])
    await push(task({ taskId: 'task-secret-1' }))
    await push(task({ taskId: 'task-secret-2' }))
    await page.advance(5000)
    expect(polled()).toEqual(Array.from({ length: 5 }, () => 'task-secret-2'))
  })

  it.each([
    ['names no task', []],
    ['names tasks that were not asked for', ['task-secret-9']],
    ['names no list', 'task-secret-1'],
  ])(
    '[EDGE-23] that %s is taken for a refusal: polling goes on, and the server is asked once more, for another task',
    async (_, taskIds) => {
      client.startToolCall({ name: 'work' })
      await page.advance(100)
      await acknowledge(0, taskIds)
      await push(task())
      await page.advance(4900)
      expect(polls()).toEqual([1000, 2000, 3000, 4000, 5000])
      expect(listens()).toHaveLength(1)
      client.startToolCall({ name: 'work' })
      await page.advance(100)
      await acknowledge(1, taskIds)
      client.startToolCall({ name: 'work' })
      await page.advance(5000)
      expect(listens()).toHaveLength(2)
    },
  )

  it('[EDGE-23] that never comes leaves polling as it is', async () => {
    client.startToolCall({ name: 'work' })
    await page.advance(5000)
    expect(polls()).toEqual([1000, 2000, 3000, 4000, 5000])
  })
})

describeFull('a server that speaks 2025-11-25', () => {
  const LEGACY_TASK = {
    taskId: 'legacy-1',
    status: 'working',
    createdAt: '2025-11-25T00:00:00Z',
    lastUpdatedAt: '2025-11-25T00:00:00Z',
    ttl: null,
    pollInterval: 10_000,
  }

  async function startTask(): Promise<Stream> {
    speakLegacy(server, { tools: {}, tasks: { requests: { tools: { call: {} } } } })
    const tool = { name: 'work', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }
    server.on('tools/list', result({ tools: [tool] }))
    const stream = openStream()
    server.on('tools/call', async (request) => {
      const reply = await stream(request)
      stream.send({ id: request.id, result: { task: LEGACY_TASK } })
      return reply
    })
    server.on('tasks/get', result(LEGACY_TASK))
    await client.connect()
    client.startToolCall({ name: 'work' })
    await page.advance(100)
    return stream
  }

  it('[EDGE-20] never relaxes polling: what it tells by itself makes for one poll more', async () => {
    const stream = await startTask()
    const status = { ...LEGACY_TASK, status: 'working', statusMessage: 'half' }
    stream.send({ method: 'notifications/tasks/status', params: status })
    await page.advance(29_900)
    expect(polls()).toEqual([100, 10_100, 20_100])
  })

  it('[EDGE-20] is polled at the interval of the task where it never tells anything', async () => {
    await startTask()
    await page.advance(29_900)
    expect(polls()).toEqual([10_000, 20_000, 30_000])
  })
})
