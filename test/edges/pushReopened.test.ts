import type { TaskClient } from 'taskwire'
import { createSimulatedEnvironment, type SimulatedEnvironment } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  created,
  createScriptedServer,
  http,
  type PushStream,
  pushStream,
  type Reply,
  rpcError,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'

const SECOND = 1000
const MINUTE = 60 * SECOND

let page: SimulatedEnvironment
let server: ScriptedServer
let client: TaskClient
let start: number
/** Streams that were opened. */
let streams: PushStream[]

beforeEach(() => {
  page = createSimulatedEnvironment()
  start = page.now()
  server = createScriptedServer({ now: page.now })
  server.on('tools/call', created({ pollIntervalMs: 10 * SECOND }))
  server.on('tasks/get', snapshot({ pollIntervalMs: 10 * SECOND }))
  streams = []
  client = createTaskClient({
    url: 'http://localhost/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
  })
})

/** Streams that the server acknowledges at once. */
function acknowledged(onOpen: (stream: PushStream) => void = () => {}): Reply {
  return pushStream((stream) => {
    streams.push(stream)
    onOpen(stream)
  })
}

const listens = () => server.times('subscriptions/listen', start)
const polls = () => server.times('tasks/get', start)

describe('a push stream that ends', () => {
  it('[EDGE-34] right after its acknowledgement is opened again less and less often', async () => {
    server.on(
      'subscriptions/listen',
      acknowledged(({ end }) => end()),
    )
    client.startToolCall({ name: 'report' })
    await page.advance(10 * MINUTE)
    // 0.25 s, 0.5 s, 1 s, ... 15 s: half of the longest backoff is the mean.
    expect(listens().length).toBeLessThanOrEqual(50)
    const last = listens().slice(-3)
    expect((last[2] ?? 0) - (last[1] ?? 0)).toBeGreaterThanOrEqual(15 * SECOND)
    // The task is polled at its interval meanwhile.
    expect(polls()).toHaveLength(60)
  })

  it('[EDGE-34] a second after its acknowledgement is opened again less and less often, too', async () => {
    server.on(
      'subscriptions/listen',
      acknowledged(({ end }) => page.environment.setTimeout(end, SECOND)),
    )
    client.startToolCall({ name: 'report' })
    await page.advance(10 * MINUTE)
    expect(listens().length).toBeLessThanOrEqual(50)
  })

  it('[EDGE-34] right after it has told of the task is opened again less and less often, too', async () => {
    server.on(
      'subscriptions/listen',
      acknowledged(({ push, end }) => {
        push()
        end()
      }),
    )
    client.startToolCall({ name: 'report' })
    await page.advance(10 * MINUTE)
    expect(listens().length).toBeLessThanOrEqual(50)
  })

  it('[EDGE-34] after something was pushed is opened again soon', async () => {
    server.on(
      'subscriptions/listen',
      acknowledged(({ end }) => end()),
    )
    client.startToolCall({ name: 'report' })
    await page.advance(5 * MINUTE)
    server.on('subscriptions/listen', acknowledged())
    await page.advance(MINUTE)
    const before = listens().length
    streams.at(-1)?.push()
    await page.advance(0)
    streams.at(-1)?.end()
    await page.advance(SECOND)
    expect(listens()).toHaveLength(before + 1)
  })

  it('[EDGE-34] after it has lasted is opened again soon, also where nothing was pushed', async () => {
    server.on(
      'subscriptions/listen',
      acknowledged(({ end }) => end()),
    )
    client.startToolCall({ name: 'report' })
    await page.advance(5 * MINUTE)
    server.on('subscriptions/listen', acknowledged())
    await page.advance(5 * MINUTE)
    const before = listens().length
    streams.at(-1)?.end()
    await page.advance(SECOND)
    expect(listens()).toHaveLength(before + 1)
  })
})

describe('a push stream that the server refuses', () => {
  it.each([
    [429, http(429, { headers: { 'retry-after': '120' } })],
    [503, http(503, { headers: { 'retry-after': '120' } })],
  ])('[EDGE-34] with %i is not asked for again before Retry-After', async (_, refused) => {
    server.on('subscriptions/listen', refused, acknowledged())
    client.startToolCall({ name: 'report' })
    await page.advance(119 * SECOND)
    expect(listens()).toHaveLength(1)
    // Polls are other requests: they keep their interval.
    expect(polls()).toHaveLength(11)
    await page.advance(10 * SECOND)
    expect(listens()).toHaveLength(2)
  })

  it('[EDGE-34] and asked to be left alone for years is asked for again a day later', async () => {
    server.on('tools/call', created({ pollIntervalMs: 10 * MINUTE }))
    server.on('tasks/get', snapshot({ pollIntervalMs: 10 * MINUTE }))
    server.on('subscriptions/listen', http(503, { headers: { 'retry-after': '999999999' } }))
    client.startToolCall({ name: 'report' })
    await page.advance(23 * 60 * MINUTE)
    expect(listens()).toHaveLength(1)
    await page.advance(61 * MINUTE)
    expect(listens()).toHaveLength(2)
  })

  // task 1   stream open ───────────────────── ended
  // task 2             asked for both, refused
  it('[EDGE-34] is not asked for again before Retry-After because an older stream has ended', async () => {
    server.on('tools/call', created({ pollIntervalMs: 10 * SECOND }), created({ taskId: 'task-2' }))
    server.on('subscriptions/listen', acknowledged(), http(503, { headers: { 'retry-after': '120' } }), acknowledged())
    client.startToolCall({ name: 'report' })
    await page.advance(5 * SECOND)
    client.startToolCall({ name: 'report' })
    await page.advance(5 * SECOND)
    expect(listens()).toHaveLength(2)
    streams[0]?.end()
    await page.advance(105 * SECOND)
    expect(listens()).toHaveLength(2)
    await page.advance(20 * SECOND)
    expect(listens()).toHaveLength(3)
  })

  it('[EDGE-34] is asked for again when the server wants, no earlier and not much later, also where the clock was set back', async () => {
    server.on('tools/call', created({ pollIntervalMs: 10 * SECOND }), created({ taskId: 'task-2' }))
    server.on('subscriptions/listen', http(503, { headers: { 'retry-after': '120' } }), acknowledged())
    client.startToolCall({ name: 'report' })
    await page.advance(10 * SECOND)
    page.setClock(-60 * MINUTE)
    client.startToolCall({ name: 'report' })
    const before = server.received('subscriptions/listen').length
    await page.advance(100 * SECOND)
    expect(server.received('subscriptions/listen')).toHaveLength(before)
    await page.advance(30 * SECOND)
    expect(server.received('subscriptions/listen')).toHaveLength(before + 1)
  })

  it('[EDGE-34] without Retry-After is asked for again less and less often', async () => {
    server.on('subscriptions/listen', http(503))
    client.startToolCall({ name: 'report' })
    await page.advance(10 * MINUTE)
    expect(listens().length).toBeLessThanOrEqual(50)
  })

  it('[EDGE-34] for good is not asked for again', async () => {
    server.on('subscriptions/listen', rpcError(-32601, 'Method not found', { status: 404 }))
    client.startToolCall({ name: 'report' })
    await page.advance(10 * MINUTE)
    expect(listens()).toHaveLength(1)
  })
})
