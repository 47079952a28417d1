import { TaskConfigurationError, TaskStorageError } from 'taskwire'
import { withoutTimers } from 'taskwire/alarms'
import { expect, it, vi } from 'vitest'
import { createSleepingHost } from './sleepingHost.js'

const WORK = { name: 'work', arguments: { seconds: 600, quiet: true } }

it('does nothing by itself: a task is polled when tick() is called, at the time that nextWakeAt says', async () => {
  const { server, open, tick, wakeIn, timers, alarm } = createSleepingHost({ pollIntervalMs: 5000 })
  const client = open()
  const call = client.startToolCall(WORK)
  await tick(client)
  expect(call.getState().phase).toBe('working')
  expect(wakeIn(client)).toBe(5000)
  expect(timers()).toBe(0)
  await server.advance(600_000)
  expect(server.count('tasks/get')).toBe(0)
  await alarm(client)
  expect(server.count('tasks/get')).toBe(1)
  expect(await call.result).toMatchObject({ structuredContent: { seconds: 600 } })
  expect(client.nextWakeAt).toBeUndefined()
  expect(timers()).toBe(0)
})

it('follows a task of ten minutes by processes that exist only while they poll', async () => {
  const { server, open, until, tick, items, wakeIn, timers, listeners } = createSleepingHost({ pollIntervalMs: 60_000 })
  const settled = vi.fn()
  let client = open()
  client.startToolCall(WORK, { key: 'report' }).result.catch(() => {})
  await tick(client)
  let processes = 1
  while (client.nextWakeAt !== undefined) {
    const inMs = wakeIn(client) ?? 0
    await until(client.close())
    expect([timers(), listeners()]).toEqual([0, 0])
    await server.advance(inMs)
    client = open()
    client.onToolCallSettled(settled)
    await tick(client)
    processes += 1
  }
  expect(server.count('tools/call')).toBe(1)
  expect(server.times('tasks/get')).toHaveLength(10)
  expect(processes).toBe(11)
  expect(settled.mock.calls).toMatchObject([[{ phase: 'completed', result: { structuredContent: { seconds: 600 } } }]])
  expect(items.size).toBe(1)
})

it('polls no earlier in the next process, whether the one before was closed or killed', async () => {
  const { server, open, until, tick, kill, wakeIn, alarm } = createSleepingHost({ pollIntervalMs: 20_000 })
  const first = open()
  first.startToolCall(WORK, { key: 'report' })
  await tick(first)
  await alarm(first)
  expect(server.count('tasks/get')).toBe(1)
  await kill()
  const second = open()
  await tick(second)
  expect(wakeIn(second)).toBe(20_000)
  await server.advance(5000)
  await until(second.close())
  const third = open()
  await tick(third)
  expect(wakeIn(third)).toBe(15_000)
  await server.advance(14_999)
  await tick(third)
  expect(server.count('tasks/get')).toBe(1)
  await server.advance(1)
  await tick(third)
  expect(server.count('tasks/get')).toBe(2)
})

it('knows at once, and in the next process, for how long Retry-After wants to be left alone', async () => {
  const { server, open, tick, wakeIn, kill, alarm } = createSleepingHost()
  const first = open()
  first.startToolCall(WORK, { key: 'report' })
  await tick(first)
  server.faults.status(429, { method: 'tasks/get', retryAfter: 200, times: 1 })
  await alarm(first)
  expect(wakeIn(first)).toBe(200_000)
  await kill()
  const second = open()
  await tick(second)
  expect(wakeIn(second)).toBe(200_000)
  await server.advance(199_999)
  await tick(second)
  expect(server.count('tasks/get')).toBe(1)
  await alarm(second)
  expect(server.count('tasks/get')).toBe(2)
})

it('backs off while the server is down, one poll for each alarm', async () => {
  const { server, open, tick, alarm, wakeIn } = createSleepingHost()
  const client = open()
  const call = client.startToolCall(WORK)
  await tick(client)
  const stop = server.faults.status(503, { method: 'tasks/get' })
  for (let polls = 1; polls <= 8; polls++) {
    await alarm(client)
    expect(server.count('tasks/get')).toBe(polls)
  }
  expect(call.getState()).toMatchObject({ network: 'retrying', failureCount: 8 })
  expect(wakeIn(client)).toBeGreaterThan(10_000)
  stop()
  await alarm(client)
  expect(call.getState()).toMatchObject({ network: 'ok', failureCount: 0 })
  expect(wakeIn(client)).toBe(1000)
})

it('connects again at the next alarm if the server could not be reached when the call was made', async () => {
  const { server, open, tick, alarm } = createSleepingHost()
  const client = open()
  const stop = server.faults.drop()
  const call = client.startToolCall({ name: 'echo', arguments: { text: 'hello' } })
  await tick(client)
  expect(call.getState().phase).toBe('calling')
  await alarm(client)
  stop()
  await alarm(client)
  expect(await call.result).toMatchObject({ content: [{ text: 'hello' }] })
  expect(server.count('tools/call')).toBe(1)
})

it('a tick waits for the response to a call, whose time limit runs', async () => {
  const { server, open, until } = createSleepingHost()
  const client = open({ callTimeoutMs: 120_000 })
  await until(client.connect())
  server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tools/call' })
  const call = client.startToolCall(WORK)
  call.result.catch(() => {})
  const ticked = vi.fn()
  void client.tick().then(ticked)
  await server.advance(119_000)
  expect(ticked).not.toHaveBeenCalled()
  expect(client.nextWakeAt).toBe(server.browser.now())
  await server.advance(1500)
  expect(ticked).toHaveBeenCalledTimes(1)
  expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ToolCallInterruptedError' } })
})

it('a tick gives up a poll that is not answered, and polls what falls due in the meantime', async () => {
  const { server, open, tick, wakeIn } = createSleepingHost()
  const client = open()
  client.startToolCall(WORK, { key: 'a' })
  await tick(client)
  await server.advance(500)
  client.startToolCall(WORK, { key: 'b' })
  await tick(client)
  await server.advance(500)
  server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tasks/get', times: 1 })
  const ticked = vi.fn()
  void client.tick().then(ticked)
  await server.advance(29_900)
  expect(ticked).not.toHaveBeenCalled()
  expect(server.count('tasks/get')).toBeGreaterThan(20)
  await server.advance(200)
  expect(ticked).toHaveBeenCalledTimes(1)
  expect(wakeIn(client)).toBeGreaterThan(0)
})

it('a tick during another one waits for the same work, and polls nothing twice', async () => {
  const { server, open, tick } = createSleepingHost()
  const client = open()
  client.startToolCall(WORK)
  await tick(client)
  await server.advance(1000)
  server.faults.delay(300, { method: 'tasks/get' })
  const ended: string[] = []
  void client.tick().then(() => ended.push('first'))
  await server.advance(100)
  void client.tick().then(() => ended.push('second'))
  await server.advance(199)
  expect(ended).toEqual([])
  await server.advance(2)
  expect(ended).toEqual(['first', 'second'])
  expect(server.count('tasks/get')).toBe(1)
})

it('a call that is made between two ticks is sent at once, and recorded when the next tick is over', async () => {
  const { server, open, tick, wakeIn, items } = createSleepingHost()
  const client = open()
  await tick(client)
  expect(client.nextWakeAt).toBeUndefined()
  client.startToolCall(WORK, { key: 'report' })
  expect(wakeIn(client)).toBe(0)
  await tick(client)
  expect(server.count('tools/call')).toBe(1)
  expect(wakeIn(client)).toBe(1000)
  expect(items.size).toBe(1)
})

it('a call that is made in the moment in which a tick ends is waited for by the next tick', async () => {
  const { open, until } = createSleepingHost()
  const client = open()
  const call = await until(
    client.tick().then(async () => {
      const started = client.startToolCall(WORK)
      await client.tick()
      return started
    }),
  )
  expect(call.getState().phase).toBe('working')
})

it('a client that is closed during a tick ends it, and the next process follows the task without a second call', async () => {
  const { server, open, until, tick } = createSleepingHost()
  const first = open()
  first.startToolCall(WORK, { key: 'report' }).result.catch(() => {})
  await tick(first)
  await server.advance(1000)
  server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tasks/get', times: 1 })
  const ticking = first.tick()
  await server.advance(10)
  await until(first.close())
  await until(ticking)
  expect(first.nextWakeAt).toBeUndefined()
  await until(first.tick())
  const second = open()
  await server.advance(600_000)
  await tick(second)
  const [call] = Object.values(second.store.getState().calls)
  expect(call).toMatchObject({ phase: 'completed', key: 'report' })
  expect(server.count('tools/call')).toBe(1)
})

it('a process that is killed during a poll loses nothing, and the next one makes no second call', async () => {
  const { server, open, tick, kill, alarm } = createSleepingHost({ pollIntervalMs: 10_000 })
  const first = open()
  first.startToolCall(WORK, { key: 'report' })
  await tick(first)
  await server.advance(10_000)
  server.faults.delay(500, { method: 'tasks/get', times: 1 })
  void first.tick()
  await server.advance(100)
  expect(server.count('tasks/get')).toBe(1)
  await kill()
  const second = open()
  await tick(second)
  await server.advance(600_000)
  await alarm(second)
  expect(Object.values(second.store.getState().calls)).toMatchObject([{ key: 'report', phase: 'completed' }])
  expect(server.count('tools/call')).toBe(1)
})

it('a process that is killed before its call was answered leaves a call that was interrupted, and none is repeated', async () => {
  const { server, open, tick, kill } = createSleepingHost()
  const first = open()
  server.faults.delay(500, { method: 'tools/call' })
  first.startToolCall(WORK, { key: 'report' })
  void first.tick()
  await server.advance(100)
  expect(server.count('tools/call')).toBe(1)
  await kill()
  const second = open()
  await tick(second)
  expect(Object.values(second.store.getState().calls)).toMatchObject([
    { key: 'report', phase: 'failed', error: { name: 'ToolCallInterruptedError' } },
  ])
  expect(second.nextWakeAt).toBeUndefined()
  expect(server.count('tools/call')).toBe(1)
})

it('a tick waits for the handlers of input requests, and until their responses are sent', async () => {
  const { server, open, tick, alarm } = createSleepingHost()
  const accepted = { action: 'accept', content: { ok: true } } as const
  let respond: (response: typeof accepted) => void = () => {}
  const elicitation = vi.fn(
    () =>
      new Promise<typeof accepted>((resolve) => {
        respond = resolve
      }),
  )
  const client = open({ input: { handlers: { elicitation } } })
  const call = client.startToolCall({ name: 'ask', arguments: { questions: ['Go on?'] } })
  await tick(client)
  await server.advance(1000)
  const ticked = vi.fn()
  void client.tick().then(ticked)
  await server.advance(200)
  expect(elicitation).toHaveBeenCalledTimes(1)
  expect(ticked).not.toHaveBeenCalled()
  respond(accepted)
  await server.advance(50)
  expect(server.count('tasks/update')).toBe(1)
  expect(ticked).toHaveBeenCalledTimes(1)
  await alarm(client)
  expect(call.getState().phase).toBe('completed')
})

it('sleeps while a user thinks an input request over, and polls as the server asks', async () => {
  const { open, tick, alarm, until, wakeIn } = createSleepingHost()
  const client = open()
  const call = client.startToolCall({ name: 'ask', arguments: { questions: ['Go on?'] } })
  await tick(client)
  await alarm(client)
  const [inputKey = ''] = Object.keys(call.getState().inputRequests)
  expect(wakeIn(client)).toBe(1000)
  const responding = call.respond(inputKey, { action: 'accept', content: { ok: true } })
  await until(Promise.all([responding, client.tick()]))
  await alarm(client)
  expect(call.getState().phase).toBe('completed')
})

it('is woken again while there is no network, and follows the task from then on', async () => {
  const { server, open, tick, wakeIn, alarm, setOnline, kill } = createSleepingHost()
  const first = open()
  first.startToolCall(WORK, { key: 'report' })
  await tick(first)
  await setOnline(false)
  await alarm(first)
  expect(server.count('tasks/get')).toBe(0)
  expect(wakeIn(first)).toBe(60_000)
  // A service worker is ended meanwhile, and does not hear that the network is back.
  await kill()
  const second = open()
  await server.advance(60_000)
  await tick(second)
  expect(server.count('tasks/get')).toBe(1)
  expect(wakeIn(second)).toBe(1000)
})

it('has something to do as long as no tick has read the records', async () => {
  const { open, wakeIn, tick } = createSleepingHost()
  const client = open()
  expect(wakeIn(client)).toBe(0)
  await tick(client)
  expect(client.nextWakeAt).toBeUndefined()
})

it.each([
  ['no storage', { storage: undefined }, 'withoutTimers got no storage'],
  ['push', { push: true }, 'a stream keeps the host awake'],
  ['tabs', { crossTab: true }, 'there are no tabs to share with'],
  ['lazy calls', { resume: 'lazy' }, 'no page watches while the host sleeps'],
])('refuses %s, with what to change', (_, options, says) => {
  const { open } = createSleepingHost()
  const opening = () => open(options as never)
  expect(opening).toThrow(TaskConfigurationError)
  expect(opening).toThrow(says)
})

it.each(['keys', 'getItem'] as const)(
  'resumes the calls in a later tick if %s of the storage has failed in the first one',
  async (method) => {
    const { server, storage, open, tick, wakeIn, kill, alarm } = createSleepingHost({ pollIntervalMs: 60_000 })
    const first = open()
    first.startToolCall(WORK, { key: 'report' }).result.catch(() => {})
    await tick(first)
    await kill()
    let isDown = true
    const fail = () => Promise.reject(new Error('the storage cannot be reached'))
    const read: typeof storage.getItem = (key) => (isDown && method === 'getItem' ? fail() : storage.getItem(key))
    const keys: typeof storage.keys = (prefix) => (isDown && method === 'keys' ? fail() : storage.keys(prefix))
    const onError = vi.fn()
    const second = open({ storage: { ...storage, getItem: read, keys }, onError })
    await tick(second)
    expect(onError).toHaveBeenCalledWith(expect.any(TaskStorageError), { operation: 'storage' })
    expect(wakeIn(second)).toBe(60_000)
    isDown = false
    await alarm(second)
    expect(Object.values(second.store.getState().calls)).toMatchObject([{ key: 'report', phase: 'working' }])
    expect(server.count('tasks/get')).toBe(1)
    await alarm(second)
    expect([server.count('tools/call'), server.count('tasks/get'), wakeIn(second)]).toEqual([1, 2, 60_000])
  },
)

it('refuses what makes no client', () => {
  expect(() => withoutTimers({} as never, { storage: 'memory' })).toThrow(TaskConfigurationError)
})
