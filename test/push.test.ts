import type { TaskClient, TaskClientUrlOptions } from 'taskwire'
import type { TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from './support/anyClient.js'
import { createWorkServer } from './support/workServer.js'

let server: TestServer
let client: TaskClient

function open(options: Partial<TaskClientUrlOptions> = {}): TaskClient {
  return createTaskClient({ url: server.url, environment: server.environment, ...options })
}

beforeEach(() => {
  server = createWorkServer({ push: true })
  client = open()
})

const advance = (ms: number) => server.advance(ms)
const work = (seconds: number, quiet = false) => client.startToolCall({ name: 'work', arguments: { seconds, quiet } })

describe('where the server pushes', () => {
  it('a task of a minute costs its creation, one stream and at most three polls', async () => {
    const call = work(60)
    await advance(61_000)
    await expect(call.result).resolves.toBeDefined()
    expect(server.count('tools/call')).toBe(1)
    expect(server.count('subscriptions/listen')).toBe(1)
    expect(server.count('tasks/get')).toBeLessThanOrEqual(3)
  })

  it('a change is seen when it happens, not a poll later', async () => {
    const seen: [number, string | undefined][] = []
    const call = work(2)
    const start = server.browser.now()
    call.subscribe(({ phase, task }) => seen.push([server.browser.now() - start, task?.statusMessage ?? phase]))
    await advance(3000)
    expect(seen).toContainEqual([1000, 'step 1'])
    expect(seen.at(-1)).toEqual([2000, 'completed'])
    expect(server.count('tasks/get')).toBe(0)
  })

  it('polls go on at the safety interval, for the pushes that get lost', async () => {
    client = open({ poll: { safetyIntervalMs: 5000 } })
    work(60, true)
    await advance(20_000)
    const times = server.times('tasks/get')
    expect(times.length).toBeGreaterThanOrEqual(3)
    expect(times.map((at, index) => at - (times[index - 1] ?? 0)).every((gap) => gap >= 5000)).toBe(true)
  })

  it('a response that the server refuses has the task polled at its interval: the server may have lost what it pushes', async () => {
    const { fetch } = server.environment
    const refusing: typeof fetch = (url, init) => {
      const { id, method } = JSON.parse(String(init?.body)) as { id: number; method: string }
      if (method !== 'tasks/update') return fetch(url, init)
      return Promise.resolve(Response.json({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Unknown task' } }))
    }
    client = open({ environment: { ...server.environment, fetch: refusing } })
    const call = client.startToolCall({ name: 'ask', arguments: { questions: ['Which size?'] } })
    await advance(5000)
    expect(server.count('tasks/get')).toBe(0)
    const [inputKey = ''] = Object.keys(call.getState().inputRequests)
    const response = call.respond(inputKey, { action: 'accept', content: { ok: true } })
    await Promise.all([expect(response).rejects.toThrow('Unknown task'), advance(1000)])
    expect(server.count('tasks/get')).toBe(1)
  })

  it('a stream that the server refuses is asked for when the server wants, also where another task starts meanwhile', async () => {
    const { fetch } = server.environment
    const asked: number[] = []
    let refuse = () => {}
    const refusing: typeof fetch = (url, init) => {
      const { method } = JSON.parse(String(init?.body)) as { method: string }
      if (method !== 'subscriptions/listen' || asked.push(server.browser.now()) > 1) return fetch(url, init)
      return new Promise((resolve) => {
        refuse = () => resolve(new Response(null, { status: 503, headers: { 'Retry-After': '10' } }))
      })
    }
    client = open({ environment: { ...server.environment, fetch: refusing } })
    work(60)
    await advance(1000)
    work(60)
    await advance(40)
    refuse()
    await advance(9000)
    expect(asked).toHaveLength(1)
    await advance(2000)
    expect(asked).toHaveLength(2)
  })

  it('a server that has lost the first task is asked again for the next one', async () => {
    server.faults.delay(1000, { method: 'tasks/get', times: 1 })
    const lost = client.resumeTask({ taskId: 'of-before-the-restart' })
    lost.result.catch(() => {})
    await advance(2000)
    expect(lost.getState()).toMatchObject({ phase: 'failed' })
    expect(server.count('subscriptions/listen')).toBe(1)
    const polls = server.count('tasks/get')
    work(20)
    await advance(10_000)
    expect(server.count('subscriptions/listen')).toBe(2)
    expect(server.count('tasks/get')).toBe(polls)
  })

  it('one stream carries every task, and is renewed before it is given up', async () => {
    const calls = [work(4), work(5)]
    await advance(500)
    calls.push(work(6))
    await advance(10_000)
    for (const call of calls) expect(call.getState().phase).toBe('completed')
    expect(server.count('tasks/get')).toBe(0)
    // Opened for two, for three, and for those that are left as the others end.
    expect(server.count('subscriptions/listen')).toBeLessThanOrEqual(4)
  })

  it('closing the client ends the stream', async () => {
    work(60)
    await advance(1000)
    await client.close()
    const before = server.requests.length
    await advance(120_000)
    expect(server.requests.length).toBe(before)
    expect(server.page.listeners()).toBe(0)
  })

  it('push: false asks for nothing', async () => {
    client = open({ push: false })
    work(3)
    await advance(5000)
    expect(server.count('subscriptions/listen')).toBe(0)
    expect(server.times('tasks/get')).toEqual([1000, 2000, 3000])
  })
})

describe('when the stream ends', () => {
  it('polling is back at the interval of the server at once, and the stream is opened again', async () => {
    const call = work(60, true)
    await advance(3500)
    expect(server.count('tasks/get')).toBe(0)
    expect(server.faults.cut({ method: 'subscriptions/listen' })).toBe(1)
    const restore = server.faults.drop({ method: 'subscriptions/listen' })
    await advance(5000)
    expect(server.count('tasks/get')).toBeGreaterThanOrEqual(4)
    restore()
    await advance(40_000)
    const polls = server.count('tasks/get')
    await advance(20_000)
    expect(server.count('tasks/get') - polls).toBeLessThanOrEqual(1)
    await expect(call.result).resolves.toBeDefined()
  })

  it('a server that does not push is asked once', async () => {
    server = createWorkServer({ push: false })
    client = open()
    work(10)
    await advance(20_000)
    expect(server.count('subscriptions/listen')).toBeLessThanOrEqual(1)
    expect(server.times('tasks/get')).toHaveLength(10)
  })
})

it('in four tabs there is one stream, and every tab sees every change', async () => {
  const shared = createWorkServer({ push: true })
  const tabs = Array.from({ length: 4 }, () => {
    const tab = shared.browser.openPage()
    return { tab, client: createTaskClient({ url: shared.url, environment: tab.environment }) }
  })
  const calls = tabs.map((tab) => tab.client.startToolCall({ name: 'work', arguments: { seconds: 8 } }, { key: 'k' }))
  await shared.advance(3500)
  for (const call of calls) expect(call.getState().task).toMatchObject({ statusMessage: 'step 3' })
  expect(shared.count('subscriptions/listen')).toBe(1)
  expect(shared.count('tasks/get')).toBe(0)

  await tabs[0]?.tab.crash()
  await shared.advance(6000)
  for (const call of calls.slice(1)) expect(call.getState().phase).toBe('completed')
  expect(shared.count('subscriptions/listen')).toBe(2)
})

it('in two tabs nothing is polled where the safety interval has no end', async () => {
  const shared = createWorkServer({ push: true })
  const calls = [1, 2].map(() => {
    const { environment } = shared.browser.openPage()
    const poll = { safetyIntervalMs: Number.POSITIVE_INFINITY }
    const client = createTaskClient({ url: shared.url, environment, poll })
    return client.startToolCall({ name: 'work', arguments: { seconds: 8 } }, { key: 'k' })
  })
  await shared.advance(10_000)
  for (const call of calls) expect(call.getState().phase).toBe('completed')
  expect(shared.count('tasks/get')).toBe(0)
})
