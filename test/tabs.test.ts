import type { TaskClient, TaskClientUrlOptions, ToolCall } from 'taskwire'
import type { SimulatedPage, TestServer } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Channel, Environment, Locks } from '../src/core/environment/environment.js'
import { createTaskClient } from './support/anyClient.js'
import { lateLocks } from './support/lateLocks.js'
import { createWorkServer } from './support/workServer.js'

let server: TestServer

beforeEach(() => {
  server = createWorkServer()
})

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

function openTab(options: Partial<TaskClientUrlOptions> = {}, page = server.browser.openPage()): Tab {
  const client = createTaskClient({ url: server.url, environment: page.environment, ...options })
  return { page, client }
}

const advance = (ms: number) => server.advance(ms)
const polls = () => server.times('tasks/get')
const QUIET = { name: 'work', arguments: { seconds: 60, quiet: true } }
const start = (tab: Tab, seconds = 60): ToolCall =>
  tab.client.startToolCall({ name: 'work', arguments: { seconds } }, { key: 'k' })

describe('two tabs that start the same call', () => {
  it('[DUR-39] at the same moment make one call, and both get its result', async () => {
    const calls = [openTab(), openTab()].map((tab) => start(tab, 3))
    await advance(5000)
    await expect(Promise.all(calls.map(({ result }) => result))).resolves.toHaveLength(2)
    expect(server.count('tools/call')).toBe(1)
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it('one after the other make one call', async () => {
    const first = start(openTab(), 3)
    await advance(1500)
    const second = start(openTab(), 3)
    await advance(5000)
    await expect(second.result).resolves.toEqual(await first.result)
    expect(server.count('tools/call')).toBe(1)
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it('share a result that was there at once', async () => {
    const echo = (tab: Tab) => tab.client.callTool({ name: 'echo', arguments: { text: 'hi' } }, { key: 'k' })
    const results = [openTab(), openTab(), openTab()].map(echo)
    await advance(100)
    await expect(Promise.all(results)).resolves.toHaveLength(3)
    expect(server.count('tools/call')).toBe(1)
  })

  it('share a refusal', async () => {
    const nope = (tab: Tab) => tab.client.callTool({ name: 'nope' }, { key: 'k' })
    const results = [openTab(), openTab()].map(nope)
    for (const result of results) result.catch(() => {})
    await advance(100)
    for (const result of results)
      await expect(result).rejects.toMatchObject({ name: 'ToolCallRejectedError', code: -32602 })
    expect(server.count('tools/call')).toBe(1)
  })

  it('[DUR-81] where the first is frozen before its response, the second waits until it wakes', async () => {
    const [a, b] = [openTab(), openTab()]
    server.faults.delay(500, { method: 'tools/call', times: 1 })
    start(a, 3)
    await advance(100)
    a.page.freeze()
    const second = start(b, 3)
    await advance(60_000)
    expect(second.getState().phase).toBe('calling')
    await a.page.thaw()
    await advance(5000)
    await expect(second.result).resolves.toBeDefined()
    expect(server.count('tools/call')).toBe(1)
  })

  /** The first tab crashes while its call is under way. */
  async function crashFirst(): Promise<ToolCall> {
    const a = openTab()
    server.faults.delay(500, { method: 'tools/call', times: 1 })
    start(a, 3)
    const second = start(openTab(), 3)
    second.result.catch(() => {})
    await advance(100)
    expect(server.count('tools/call')).toBe(1)
    await a.page.crash()
    await advance(100)
    return second
  }

  it('where the first crashes before its response, the second is told that the outcome is unknown', async () => {
    server = createWorkServer({ idempotentCalls: false })
    const second = await crashFirst()
    await expect(second.result).rejects.toMatchObject({ name: 'ToolCallInterruptedError' })
    expect(server.count('tools/call')).toBe(1)
  })

  it('where the first crashes before its response, the second sends the call again to a server that knows its key', async () => {
    const second = await crashFirst()
    await advance(5000)
    await expect(second.result).resolves.toMatchObject({ structuredContent: { seconds: 3 } })
    expect(server.count('tools/call')).toBe(2)
  })
})

describe('a page whose client is made twice, as hot module reloading does', () => {
  it.each(['eager', 'lazy'] as const)('[DUR-41] makes one call and polls once (%s)', async (resume) => {
    const page = server.browser.openPage()
    const make = () => createTaskClient({ url: server.url, environment: page.environment, resume })
    const before = make().startToolCall({ name: 'work', arguments: { seconds: 4 } }, { key: 'k' })
    await advance(1500)
    // The module that made it is replaced; nobody has closed it.
    const after = make().startToolCall({ name: 'work', arguments: { seconds: 4 } }, { key: 'k' })
    await advance(5000)
    await expect(after.result).resolves.toEqual(await before.result)
    expect(server.count('tools/call')).toBe(1)
    expect(polls()).toEqual([1000, 2000, 3000, 4000])
  })
})

describe('a storage that the user clears while a task runs', () => {
  it('[DUR-63] harms no call, and leaves a later page nothing to go back to', async () => {
    const tab = openTab()
    const call = start(tab, 3)
    await advance(1500)
    const { local } = server.browser.storage
    for (const key of Array.from({ length: local.length }, (_, index) => local.key(index))) local.removeItem(key ?? '')
    await advance(5000)
    await expect(call.result).resolves.toBeDefined()
    expect(polls()).toEqual([1000, 2000, 3000])
    await tab.page.close()
    start(openTab(), 3)
    await advance(100)
    expect(server.count('tools/call')).toBe(2)
  })
})

describe('one tab polls for all', () => {
  it('[DUR-40] and every tab sees every snapshot', async () => {
    const tabs = [openTab(), openTab(), openTab(), openTab()]
    const calls = tabs.map((tab) => start(tab, 4))
    await advance(2500)
    for (const call of calls)
      expect(call.getState()).toMatchObject({ phase: 'working', task: { statusMessage: 'step 2' } })
    await advance(2500)
    for (const call of calls) expect(call.getState()).toMatchObject({ phase: 'completed' })
    expect(polls()).toEqual([1000, 2000, 3000, 4000])
  })

  it('also a task that only another tab has started', async () => {
    const [a, b] = [openTab(), openTab()]
    await b.client.resumeToolCalls()
    const call = start(a, 3)
    await advance(1500)
    expect(b.client.store.getState().calls[call.callId]).toMatchObject({ phase: 'working', name: 'work' })
    await advance(2500)
    expect(b.client.store.getState().calls[call.callId]).toMatchObject({ phase: 'completed' })
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it.each(['success', 'failure', 'cancelled'] as const)(
    'also a call that another tab makes anew after its %s',
    async (outcome) => {
      const [a, b] = [openTab(), openTab()]
      const seconds = outcome === 'cancelled' ? 60 : 1
      const work = { name: 'work', arguments: { seconds, ...(outcome === 'failure' && { outcome }) } }
      const first = a.client.startToolCall(work, { key: 'k' })
      await b.client.resumeToolCalls()
      await advance(100)
      if (outcome === 'cancelled') void b.client.getToolCall(first.callId)?.cancel()
      await advance(3000)
      const seen = () => b.client.getToolCallState(first.callId)
      expect(seen()?.phase).toBe({ success: 'completed', failure: 'failed', cancelled: 'cancelled' }[outcome])
      a.client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k', repeat: 'settled' })
      await advance(1500)
      expect(seen()).toMatchObject({ phase: 'working', task: { statusMessage: 'step 1' } })
      await advance(3000)
      expect(seen()).toMatchObject({ phase: 'completed', result: { structuredContent: { seconds: 3 } } })
    },
  )

  it('and stays with the outcome of a call whose task another tab resumes', async () => {
    const [a, b] = [openTab(), openTab()]
    const call = start(a, 1)
    await b.client.resumeToolCalls()
    await advance(3000)
    const taskId = call.getState().task?.taskId ?? ''
    const c = openTab()
    c.client.resumeTask({ taskId, name: 'work' }, { key: 'k' })
    await server.browser.settle()
    expect(b.client.getToolCallState(call.callId)?.phase).toBe('completed')
  })

  it('a tab that comes later sees at once what is known', async () => {
    start(openTab())
    await advance(2500)
    const late = start(openTab())
    await advance(10)
    expect(late.getState()).toMatchObject({ phase: 'working', task: { statusMessage: 'step 2' } })
    expect(polls()).toEqual([1000, 2000])
  })

  it('lazily, the tabs that watch a task elect one for it', async () => {
    const tabs = [openTab({ resume: 'lazy' }), openTab({ resume: 'lazy' })]
    const calls = tabs.map((tab) => start(tab, 3))
    await advance(5000)
    for (const call of calls) await expect(call.result).resolves.toBeDefined()
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it.each([
    ['closed', (tab: Tab) => tab.page.close()],
    ['crashed', (tab: Tab) => tab.page.crash()],
    ['frozen', async (tab: Tab) => tab.page.freeze()],
    ['in the back-forward cache', (tab: Tab) => tab.page.hidePage()],
  ])('[DUR-22] and when it is %s, another does within an interval and a second', async (_, leave) => {
    const [a, b] = [openTab(), openTab()]
    a.client.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    const call = b.client.startToolCall(QUIET, { key: 'k' })
    await advance(2900)
    expect(polls()).toEqual([1000, 2000, 3000])
    await leave(a)
    await advance(2000)
    expect(polls().length).toBeGreaterThanOrEqual(4)
    expect(polls()[3]).toBeLessThanOrEqual(5000)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
    const gaps = polls().map((at, index, all) => at - (all[index - 1] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000)
  })

  it('[DUR-43] and when it crashes during a poll, the next one comes an interval after that', async () => {
    const [a, b] = [openTab(), openTab()]
    a.client.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    b.client.startToolCall(QUIET, { key: 'k' })
    server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tasks/get', times: 1 })
    await advance(1000)
    await a.page.crash()
    await advance(2000)
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it('a frozen tab that wakes up follows the one that took over, without a poll of its own', async () => {
    const [a, b] = [openTab(), openTab()]
    const inA = a.client.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    b.client.startToolCall(QUIET, { key: 'k' })
    await advance(1500)
    a.page.freeze()
    await advance(20_000)
    const before = polls().length
    await a.page.thaw()
    await advance(3000)
    expect(polls().length - before).toBe(3)
    expect(inA.getState()).toMatchObject({ phase: 'working', network: 'ok' })
  })

  /** The browser runs the timers that are due before it tells the page which lock it has lost, and passes messages on. */
  function withTimersFirst({ environment }: SimulatedPage, messagesMs: number): Environment {
    const { locks, channel, setTimeout } = environment
    if (locks === undefined || channel === undefined) throw new Error('The page has no locks and channels.')
    const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    return {
      ...environment,
      locks: {
        request: async (...args) =>
          locks.request(...args).catch(async (error: unknown) => {
            await later(50)
            throw error
          }),
      },
      channel: (name) => {
        const { onMessage, ...rest } = channel(name)
        const late = (listener: (message: unknown) => void) => (message: unknown) =>
          messagesMs === 0 ? listener(message) : void later(messagesMs).then(() => listener(message))
        return { ...rest, onMessage: (listener) => onMessage(late(listener)) }
      },
    }
  }

  it.each([0, 20])(
    'the poll that a tab had under way when it was frozen fails in no tab, though its timer is the first that the page hears of (messages after %i ms)',
    async (messagesMs) => {
      const page = server.browser.openPage()
      const options = { retry: { maxAttempts: 1 } }
      const a = openTab({ environment: withTimersFirst(page, messagesMs), ...options })
      const inA = a.client.startToolCall(QUIET, { key: 'k' })
      await advance(100)
      const inB = openTab(options).client.startToolCall(QUIET, { key: 'k' })
      await advance(1500)
      server.faults.delay(Number.POSITIVE_INFINITY, { method: 'tasks/get', times: 1 })
      await advance(1000)
      page.freeze()
      await advance(40_000)
      const before = polls().length
      await page.thaw()
      await advance(5000)
      for (const call of [inA, inB]) expect(call.getState()).toMatchObject({ phase: 'working', failureCount: 0 })
      expect(polls().length - before).toBe(5)
    },
  )

  it('a frozen tab that wakes up is told the next poll by one that was opened while there was no other', async () => {
    let pollIntervalMs = 1000
    server = createWorkServer({ pollIntervalMs: () => pollIntervalMs })
    const [a, b] = [openTab(), openTab()]
    a.client.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    b.client.startToolCall(QUIET, { key: 'k' })
    await advance(1400)
    a.page.freeze()
    await advance(2000)
    await b.page.close()
    pollIntervalMs = 5000
    await openTab().client.resumeToolCalls()
    await advance(1000)
    await a.page.thaw()
    await advance(5000)
    expect(polls()).toEqual([1000, 3000, 4000, 9000])
  })

  it('a tab that comes out of the back-forward cache asks the others first, whatever its timers say', async () => {
    const [a, b] = [openTab(), openTab()]
    a.client.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    b.client.startToolCall(QUIET, { key: 'k' })
    await advance(1500)
    await b.page.hidePage()
    b.page.freeze()
    await advance(20_000)
    // The browser runs the timers that are due before it tells the page that it is back.
    await b.page.thaw()
    await advance(100)
    await b.page.showPage()
    await advance(3000)
    const gaps = polls().map((at, index, all) => at - (all[index - 1] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000)
  })

  it('[DUR-46] a visible tab takes over from a hidden one, and the floor holds', async () => {
    const [a, b] = [openTab(), openTab()]
    a.client.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    b.client.startToolCall(QUIET, { key: 'k' })
    await advance(2400)
    await a.page.setVisible(false)
    // Throttled as hidden tabs are: its timers do not run for a minute.
    a.page.freeze()
    await advance(3000)
    expect(polls()).toEqual([1000, 2000, 3000, 4000, 5000])
  })

  it('a tab that becomes visible takes over from a hidden one', async () => {
    const [a, b] = [openTab(), openTab()]
    await b.page.setVisible(false)
    a.client.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    b.client.startToolCall(QUIET, { key: 'k' })
    await advance(2400)
    await a.page.setVisible(false)
    await b.page.setVisible(true)
    a.page.freeze()
    await advance(3000)
    expect(polls()).toEqual([1000, 2000, 3000, 4000, 5000])
  })

  it('a tab that becomes visible does not poll beside a hidden one that has yet to hear that it leads no longer', async () => {
    const page = server.browser.openPage()
    const [a, b] = [openTab({ environment: hearingLate(page) }, page), openTab()]
    await b.page.setVisible(false)
    a.client.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    b.client.startToolCall(QUIET, { key: 'k' })
    await a.page.setVisible(false)
    await advance(2890)
    await b.page.setVisible(true)
    await advance(2500)
    expect(polls()).toEqual([1000, 2000, 3000, 4000, 5000])
  })

  /** What goes from this page to others, and back, takes 50 ms. */
  function hearingLate({ environment }: SimulatedPage): Environment {
    const { setTimeout, locks, channel } = environment
    if (locks === undefined || channel === undefined) throw new TypeError('The page has no locks, or no channel.')
    const lateChannel = (name: string): Channel => {
      const opened = channel(name)
      return {
        postMessage: (message) => setTimeout(() => opened.postMessage(message), 50),
        onMessage: (listener) => opened.onMessage((message) => setTimeout(() => listener(message), 50)),
        close: () => opened.close(),
      }
    }
    return { ...environment, locks: lateLocks(locks, environment, 50), channel: lateChannel }
  }

  it('a page that comes back does not undo what the others have heard since', async () => {
    const [away, b] = [openTab(), openTab()]
    const call = b.client.startToolCall(QUIET, { key: 'k' })
    await away.client.resumeToolCalls()
    await advance(500)
    server.faults.status(503, { method: 'tasks/get', times: 6 })
    await advance(11_000)
    await away.page.hidePage()
    await b.page.setOnline(false)
    await b.page.setOnline(true)
    await advance(2500)
    expect(call.getState()).toMatchObject({ network: 'ok', failureCount: 0 })
    const before = polls().length
    await away.page.showPage()
    await advance(3000)
    expect(polls()).toHaveLength(before + 3)
    expect(call.getState()).toMatchObject({ network: 'ok', failureCount: 0 })
  })

  it('a tab that has taken over polls as soon as the server allows when it is back online', async () => {
    const [a, b] = [openTab(), openTab()]
    a.client.startToolCall(QUIET, { key: 'k' })
    await b.client.resumeToolCalls()
    await advance(500)
    server.faults.status(503, { method: 'tasks/get', times: 6 })
    await advance(11_000)
    await a.page.close()
    await b.page.setOnline(false)
    await b.page.setOnline(true)
    await advance(2500)
    expect(polls().at(-1)).toBeGreaterThan(11_000)
  })

  it('failures of the polls are told to every tab', async () => {
    const [a, b] = [openTab(), openTab()]
    let isDown = false
    const fetch = a.page.environment.fetch
    const flaky = createTaskClient({
      url: server.url,
      environment: {
        ...a.page.environment,
        fetch: (url, init) => (isDown ? Promise.reject(new TypeError('down')) : fetch(url, init)),
      },
    })
    flaky.startToolCall(QUIET, { key: 'k' })
    await advance(100)
    const call = b.client.startToolCall(QUIET, { key: 'k' })
    await advance(1000)
    isDown = true
    await advance(1000)
    expect(call.getState()).toMatchObject({
      network: 'retrying',
      failureCount: 1,
      lastError: { name: 'TaskRequestError', kind: 'network' },
    })
    isDown = false
    await advance(2000)
    expect(call.getState()).toMatchObject({ network: 'ok', failureCount: 0 })
  })
})

describe('any tab', () => {
  it('cancels, and every tab sees it', async () => {
    const [a, b] = [openTab(), openTab()]
    const inA = start(a)
    await advance(100)
    const inB = start(b)
    await advance(1400)
    await inB.cancel()
    await server.browser.settle()
    expect(inA.getState()).toMatchObject({ isCancelling: true, phase: 'working' })
    await advance(1500)
    expect(inA.getState()).toMatchObject({ isCancelling: false, phase: 'cancelled' })
    expect(inB.getState()).toMatchObject({ isCancelling: false, phase: 'cancelled' })
    expect(server.count('tasks/cancel')).toBe(1)
  })

  it('forgets, and no tab keeps anything', async () => {
    const [a, b] = [openTab(), openTab()]
    const call = start(a)
    await advance(100)
    start(b).result.catch(() => {})
    await advance(1000)
    await a.client.forget({ callId: call.callId })
    await advance(5000)
    for (const { client } of [a, b]) expect(client.store.getState().calls).toEqual({})
    expect(server.browser.storage.local.length).toBe(0)
    expect(polls()).toEqual([1000])
  })

  it('[DUR-10] signs out: forget() leaves nothing of its scope in any tab, and everything of the others', async () => {
    const anna = [openTab({ scope: 'anna' }), openTab({ scope: 'anna' })]
    const ben = openTab({ scope: 'ben' })
    for (const tab of anna) start(tab).result.catch(() => {})
    start(ben)
    await advance(1500)
    await ben.client.forget({ scope: 'anna' })
    await advance(5000)
    for (const { client } of anna) expect(client.store.getState().calls).toEqual({})
    expect(Object.keys(ben.client.store.getState().calls)).toHaveLength(1)
    expect(server.browser.storage.local.length).toBe(1)
  })
})

describe('tabs without a storage that they share', () => {
  it('[DUR-76] make one call all the same, since the one that makes it tells the others', async () => {
    const calls = [openTab({ storage: 'memory' }), openTab({ storage: 'memory' })].map((tab) => start(tab, 3))
    await advance(5000)
    await expect(Promise.all(calls.map(({ result }) => result))).resolves.toHaveLength(2)
    expect(server.count('tools/call')).toBe(1)
  })

  /** How tabs come to have no storage that they share. */
  const storages: [string, () => Tab][] = [
    ['memory', () => openTab({ storage: 'memory' })],
    ['session', () => openTab({ storage: 'session' })],
    [
      'local, which the page does not have',
      () => {
        const page = server.browser.openPage()
        return { ...openTab({ environment: { ...page.environment, storage: () => undefined } }), page }
      },
    ],
    [
      'local, blocked',
      () => {
        const page = server.browser.openPage()
        const storage = (): never => {
          throw new DOMException('The storage is blocked.', 'SecurityError')
        }
        return { ...openTab({ environment: { ...page.environment, storage }, onError: () => {} }), page }
      },
    ],
  ]

  describe.each(storages)('(%s)', (_, open) => {
    it('[DUR-76] make one call also where one starts it after the other', async () => {
      const first = start(open(), 10)
      await advance(1500)
      const second = start(open(), 10)
      await advance(500)
      expect(second.getState()).toMatchObject({ phase: 'working', startedAt: first.getState().startedAt })
      await advance(10_000)
      await expect(second.result).resolves.toEqual(await first.result)
      expect(server.count('tools/call')).toBe(1)
      expect(polls()).toHaveLength(10)
    })

    it('[DUR-76] make no call again that has ended in one of them', async () => {
      const first = start(open(), 3)
      await advance(5000)
      const second = start(open(), 3)
      await advance(500)
      expect(server.count('tools/call')).toBe(1)
      await expect(second.result).resolves.toEqual(await first.result)
    })

    it('[DUR-76] keep a call over the back-forward cache', async () => {
      const tab = open()
      const call = start(tab, 10)
      await advance(1500)
      await tab.page.hidePage()
      await tab.page.showPage()
      await advance(500)
      expect(tab.client.getToolCallState(call.callId)).toMatchObject({ phase: 'working' })
    })

    it('make it again where that is wanted', async () => {
      start(open(), 3)
      await advance(5000)
      const work = { name: 'work', arguments: { seconds: 3 } }
      const again = open().client.startToolCall(work, { key: 'k', repeat: 'settled' })
      await advance(5000)
      await expect(again.result).resolves.toBeDefined()
      expect(server.count('tools/call')).toBe(2)
    })

    it('cancel the one task, where the second tab does so at once', async () => {
      const first = start(open())
      first.result.catch(() => {})
      await advance(1500)
      const second = start(open())
      second.result.catch(() => {})
      void second.cancel()
      await advance(5000)
      for (const call of [first, second]) expect(call.getState().phase).toBe('cancelled')
      expect(server.count('tools/call')).toBe(1)
    })
  })

  it.each([
    ['has resumed the call', (client: TaskClient) => client.resumeToolCalls()],
    ['has made another call', (client: TaskClient) => client.callTool({ name: 'echo', arguments: { text: 'hi' } })],
  ])('[DUR-10] forget what a tab has kept for itself that was reloaded and %s', async (_, use) => {
    async function reload({ page }: Pick<Tab, 'page'>): Promise<Tab> {
      const next = await page.reload()
      const { environment } = next
      return { page: next, client: createTaskClient({ url: server.url, environment, storage: 'session' }) }
    }
    const before = openTab({ storage: 'session' })
    start(before)
    await advance(1500)
    const tab = await reload(before)
    await use(tab.client)
    await openTab({ storage: 'session' }).client.forget()
    await advance(500)
    const after = await reload(tab)
    await expect(after.client.resumeToolCalls()).resolves.toEqual([])
  })

  it('[DUR-76] make no call again that has ended in an earlier visit of one of them', async () => {
    const before = openTab({ storage: 'session' })
    start(before, 3)
    await advance(5000)
    const { environment } = await before.page.reload()
    const after = createTaskClient({ url: server.url, environment, storage: 'session' })
    await after.resumeToolCalls()
    const call = start(openTab({ storage: 'session' }), 3)
    await advance(5000)
    await expect(call.result).resolves.toBeDefined()
    expect(server.count('tools/call')).toBe(1)
  })

  it('wait for each other no longer than a message takes, and not where they share one', async () => {
    start(openTab(), 3)
    await advance(0)
    expect(server.count('tools/call')).toBe(1)
    start(openTab({ storage: 'memory', scope: 'other' }), 3)
    await advance(200)
    expect(server.count('tools/call')).toBe(2)
  })
})

describe('a server that takes its time', () => {
  it('is asked by one tab, and once at a time', async () => {
    server.faults.delay(20_000, { method: 'tasks/get' })
    const tabs = [openTab(), openTab(), openTab(), openTab()]
    for (const tab of tabs) start(tab, 120).result.catch(() => {})
    await advance(62_000)
    expect(polls()).toEqual([1000, 22_000, 43_000])
  })
})

describe('where the browser refuses its locks', () => {
  const refused: Locks = {
    request: () => Promise.reject(new DOMException('The document is sandboxed.', 'SecurityError')),
  }

  it('[DUR-78] a tab does its work as if it were alone, and says so once', async () => {
    const errors: unknown[] = []
    const page = server.browser.openPage()
    const environment = { ...page.environment, locks: refused }
    const client = createTaskClient({ url: server.url, environment, onError: (error) => errors.push(error) })
    const { result } = client.startToolCall({ name: 'work', arguments: { seconds: 3 } }, { key: 'k' })
    await advance(5000)
    await expect(result).resolves.toBeDefined()
    expect(polls()).toEqual([1000, 2000, 3000])
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ name: 'SecurityError' })
    await client.close()
  })
})

describe('without Web Locks or BroadcastChannel, or with crossTab: false', () => {
  it.each(['locks', 'channel', 'crossTab'] as const)(
    '[DUR-77] each tab works alone, correctly (%s)',
    async (missing) => {
      const openAlone = (): Tab => {
        const page = server.browser.openPage()
        const environment = missing === 'crossTab' ? page.environment : { ...page.environment, [missing]: undefined }
        return { page, client: createTaskClient({ url: server.url, environment, crossTab: missing !== 'crossTab' }) }
      }
      const first = start(openAlone(), 3)
      await advance(1500)
      const second = start(openAlone(), 3)
      await advance(5000)
      await expect(second.result).resolves.toEqual(await first.result)
      expect(server.count('tools/call')).toBe(1)
    },
  )
})

// tab B  completed ─ hidden ············ shown again: still has that result
// tab C                      tools/call ─┴─ task ─ completed
it.each([
  ['is being made', 4000],
  ['has been made', 0],
])('a result stays in a tab that was away while the call %s again in another one', async (_what, delayMs) => {
  server = createWorkServer({ idempotentCalls: false })
  const b = openTab()
  const call = start(b, 2)
  await advance(3000)
  await b.page.hidePage()
  server.faults.delay(delayMs, { method: 'tools/call', times: 1 })
  const again = openTab().client.startToolCall(
    { name: 'work', arguments: { seconds: 2 } },
    { key: 'k', repeat: 'settled' },
  )
  await advance(3500)
  await b.page.showPage()
  await advance(10_000)
  expect(b.client.getToolCallState(call.callId)).toMatchObject({ phase: 'completed', result: expect.anything() })
  expect(again.getState().phase).toBe('completed')
})

describe('a call whose answer was lost', () => {
  const lose = (tab: Tab): void => {
    const lost = createTaskClient({
      url: server.url,
      environment: {
        ...tab.page.environment,
        fetch: async (url, init) => {
          const response = await tab.page.environment.fetch(url, init)
          return new Headers(init?.headers).get('mcp-method') === 'tools/call' ? new Promise(() => {}) : response
        },
      },
    })
    lost.startToolCall({ name: 'work', arguments: { seconds: 9 } }, { key: 'k' })
    lost.startToolCall({ name: 'look', arguments: { seconds: 2 } }, { key: 'k' })
  }

  it('is interrupted, and not made again by itself', async () => {
    server = createWorkServer({ idempotentCalls: false })
    const a = openTab()
    lose(a)
    await advance(100)
    await a.page.crash()
    const call = start(openTab(), 9)
    call.result.catch(() => {})
    await advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ToolCallInterruptedError' } })
    expect(server.count('tools/call')).toBe(2)
  })

  // tab A  tools/call ─ ▪
  // tab B                 lists it: interrupted ─ hidden ························ shown again: works
  // tab C                                               the same key ─ task
  it.each([
    [3000, 'working'],
    [20_000, 'ended'],
  ])('is shown with what another tab has made of it while this one was away for %s ms', async (ms, phase) => {
    const a = openTab()
    lose(a)
    await advance(100)
    await a.page.crash()
    const b = openTab()
    await Promise.all([b.client.resumeToolCalls(), advance(100)])
    const callId = b.client.toolCallId('work', 'k')
    expect(b.client.getToolCallState(callId)).toMatchObject({ error: { name: 'ToolCallInterruptedError' } })
    await b.page.hidePage()
    start(openTab(), 9)
    await advance(ms)
    await b.page.showPage()
    await advance(1000)
    expect(b.client.getToolCallState(callId)?.phase).toBe(phase)
  })

  it('is simply made again where the tool is read-only', async () => {
    const a = openTab()
    lose(a)
    await advance(100)
    await a.page.crash()
    const call = openTab().client.startToolCall({ name: 'look', arguments: { seconds: 2 } }, { key: 'k' })
    await advance(5000)
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'seen' }] })
    expect(server.count('tools/call')).toBe(3)
  })
})

it('nothing is left running when every tab has closed its client', async () => {
  const tabs = [openTab(), openTab()]
  for (const tab of tabs) start(tab).result.catch(() => {})
  await advance(1500)
  for (const { client } of tabs) await client.close()
  const before = server.requests.length
  await advance(60_000)
  expect(server.requests.length).toBe(before)
  for (const { page } of tabs) expect(page.listeners()).toBe(0)
})

it('a tab that follows shows the connection as one as soon as another tab is answered again', async () => {
  const tabs = [openTab(), openTab()]
  await Promise.all([...tabs.map(({ client }) => client.connect()), advance(100)])
  for (const tab of tabs) start(tab, 300)
  await advance(1500)
  server.faults.drop({ method: 'tasks/get' })
  await advance(90_000)
  const statuses = () => tabs.map(({ client }) => client.store.getState().connection.status)
  expect(statuses()).toEqual(['connecting', 'connecting'])
  server.faults.clear()
  await advance(31_000)
  expect(statuses()).toEqual(['connected', 'connected'])
})
