import type { TaskClient, TaskStorage } from 'taskwire'
import { createSimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
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
  silence,
  snapshot,
} from '../support/scriptedServer.js'
import { createVisits, knowsKeys, startReport } from '../support/visits.js'

const SECOND = 1000

/** A storage that answers later, and not at all while its page is in the back-forward cache. */
function ownStorage(items: Map<string, string>) {
  let isAway = false
  const waiting: (() => void)[] = []
  const later = <T>(action: () => T) =>
    new Promise<T>((resolve) => {
      const answer = () => resolve(action())
      if (isAway) waiting.push(answer)
      else void Promise.resolve().then(answer)
    })
  const storage: TaskStorage = {
    getItem: (key) => later(() => items.get(key) ?? null),
    setItem: (key, value) => later(() => void items.set(key, value)),
    removeItem: (key) => later(() => void items.delete(key)),
    keys: () => later(() => [...items.keys()]),
  }
  return {
    storage,
    putAside: () => {
      isAway = true
    },
    takeBack: () => {
      isAway = false
      for (const answer of waiting.splice(0)) answer()
    },
  }
}

// tab A  finds the record ─ in the back-forward cache ········ back: no record any longer
// tab B                            forgets the call
it('[EDGE-14] a call of an earlier visit that was forgotten while its page was in the back-forward cache is dropped there, too', async () => {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created({ ttlMs: null }))
  server.on('tasks/get', snapshot({ ttlMs: null }))
  const items = new Map<string, string>()
  const open = (page: SimulatedPage): [TaskClient, ReturnType<typeof ownStorage>] => {
    const own = ownStorage(items)
    const environment = { ...page.environment, fetch: server.fetch }
    return [createTaskClient({ url: 'http://localhost/mcp', environment, push: false, storage: own.storage }), own]
  }
  const earlier = browser.openPage()
  const [first] = open(earlier)
  const { callId } = first.startToolCall({ name: 'report' }, { key: 'weekly' })
  await browser.advance(SECOND)
  await earlier.close()
  await browser.advance(SECOND)

  const page = browser.openPage()
  const [a, own] = open(page)
  await Promise.all([a.connect(), browser.advance(SECOND)])
  expect(a.getToolCallState(callId)?.phase).toBe('working')
  own.putAside()
  await page.hidePage()
  page.freeze()
  const [b] = open(browser.openPage())
  await Promise.all([b.forget({ callId }), browser.advance(SECOND)])
  expect([...items.keys()]).toEqual([])

  own.takeBack()
  void page.showPage()
  void page.thaw()
  await browser.advance(SECOND)
  expect(a.getToolCallState(callId)).toBeUndefined()
  const polls = server.received('tasks/get').length
  await browser.advance(10 * SECOND)
  expect(server.received('tasks/get')).toHaveLength(polls)
  expect([...items.keys()]).toEqual([])
})

// tab A  follows ─ in the back-forward cache ······················ back: tells what it knows, reads that it is forgotten
// tab B              forgets the call ─ closed
// tab C                                       opens: knows of no call
it.each(['eager', 'lazy'] as const)(
  '[EDGE-14] a call that was forgotten meanwhile is not told to a tab that has been opened since (resume: %s)',
  async (resume) => {
    const browser = createSimulatedBrowser()
    const server = createScriptedServer({ now: browser.now })
    server.on('tools/call', created({ ttlMs: null }))
    server.on('tasks/get', snapshot({ ttlMs: null }))
    const open = (page: SimulatedPage): TaskClient => {
      const environment = { ...page.environment, fetch: server.fetch }
      return createTaskClient({ url: 'http://localhost/mcp', environment, push: false, resume })
    }
    const page = browser.openPage()
    const a = open(page)
    const { callId } = a.startToolCall({ name: 'report' }, { key: 'weekly' })
    await browser.advance(SECOND)
    await page.hidePage()
    page.freeze()
    const other = browser.openPage()
    await Promise.all([open(other).forget({ callId }), browser.advance(SECOND)])
    await other.close()
    const c = open(browser.openPage())
    await Promise.all([c.connect(), c.resumeToolCalls(), browser.advance(SECOND)])
    expect(c.getToolCallState(callId)).toBeUndefined()

    void page.showPage()
    void page.thaw()
    const polls = server.received('tasks/get').length
    await browser.advance(10 * SECOND)
    expect(a.getToolCallState(callId)).toBeUndefined()
    expect(c.getToolCallState(callId)).toBeUndefined()
    expect(server.received('tasks/get')).toHaveLength(polls)
  },
)

// tab A  calls ─ the task ─ forgets the call ─ calls anew: waits for the lock ──── has it: calls
// tab B  waits for the lock ─ frozen ·············································· wakes with the lock: forgotten
it('[EDGE-14] a call that was forgotten while its tab was frozen, waiting to make it, is not made there', async () => {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  const open = (page: SimulatedPage) => {
    const environment = { ...page.environment, fetch: server.fetch }
    return createTaskClient({ url: 'http://localhost/mcp', environment, push: false })
  }
  const [page, other] = [browser.openPage(), browser.openPage()]
  const [a, b] = [open(page), open(other)]
  await Promise.all([a.connect(), b.connect(), browser.advance(SECOND)])
  const start = (client: TaskClient) => client.startToolCall({ name: 'report' }, { key: 'weekly' })
  const first = start(a)
  start(b).result.catch(() => {})
  other.freeze()
  await browser.advance(5 * SECOND)
  expect(server.received('tools/call')).toHaveLength(1)
  await Promise.all([a.forget({ callId: first.callId }), browser.advance(SECOND)])
  start(a)
  await browser.advance(5 * SECOND)
  await other.thaw()
  await browser.advance(5 * SECOND)
  expect(server.received('tools/call')).toHaveLength(2)
})

describe('a call that had ended in a page in the back-forward cache', () => {
  function setUp() {
    const browser = createSimulatedBrowser()
    const server = createScriptedServer({ now: browser.now })
    server.on('tools/call', created({ ttlMs: 60 * SECOND }))
    server.on('tasks/get', completed({ ttlMs: 60 * SECOND }))
    const open = (page: SimulatedPage): TaskClient => {
      const environment = { ...page.environment, fetch: server.fetch }
      return createTaskClient({ url: 'http://localhost/mcp', environment, push: false })
    }
    const page = browser.openPage()
    const client = open(page)
    const start = () => client.startToolCall({ name: 'report' }, { key: 'weekly' }).callId
    /** What other tabs do while the page is away. */
    async function away(work: (other: TaskClient) => Promise<unknown>): Promise<void> {
      await page.hidePage()
      page.freeze()
      const other = browser.openPage()
      await Promise.all([work(open(other)), browser.advance(SECOND)])
      await other.close()
      void page.showPage()
      void page.thaw()
      await browser.advance(SECOND)
    }
    return { browser, server, page, client, open, start, away }
  }

  // tab A  completed ─ in the back-forward cache ········ back: no record any longer
  // tab B                         forget(), at sign-out
  it.each(['a call', 'all'])('[EDGE-14] is dropped where another tab has forgotten %s', async (what) => {
    const { browser, client, start, away } = setUp()
    const callId = start()
    await browser.advance(10 * SECOND)
    expect(client.getToolCallState(callId)).toMatchObject({ phase: 'completed', result: {} })
    const forgotten: boolean[] = []
    client.onForgotten((isForgotten) => forgotten.push(isForgotten(callId)))
    await away((other) => (what === 'all' ? other.forget() : other.forget({ callId })))
    expect(client.getToolCallState(callId)).toBeUndefined()
    expect(forgotten).toEqual([true])
  })

  it('[EDGE-14] is dropped where it was only listed, as one of an earlier visit', async () => {
    const { browser, page, open, start } = setUp()
    const callId = start()
    await browser.advance(10 * SECOND)
    await page.close()
    const later = browser.openPage()
    const client = open(later)
    await Promise.all([client.connect(), client.resumeToolCalls(), browser.advance(SECOND)])
    expect(client.getToolCallState(callId)?.phase).toBe('ended')
    await later.hidePage()
    later.freeze()
    await Promise.all([open(browser.openPage()).forget(), browser.advance(SECOND)])
    void later.showPage()
    void later.thaw()
    await browser.advance(SECOND)
    expect(client.getToolCallState(callId)).toBeUndefined()
  })

  it('stays where nobody has forgotten it', async () => {
    const { browser, client, start, away } = setUp()
    const callId = start()
    await browser.advance(10 * SECOND)
    await away((other) => other.resumeToolCalls())
    expect(client.getToolCallState(callId)?.phase).toBe('completed')
  })

  it('stays where its record was swept since its task has expired', async () => {
    const { browser, client, start, away } = setUp()
    const callId = start()
    await browser.advance(10 * SECOND)
    await away(async (other) => {
      await browser.advance(120 * SECOND)
      await other.resumeToolCalls()
    })
    expect(browser.storage.local.length).toBe(0)
    expect(client.getToolCallState(callId)?.phase).toBe('completed')
  })

  it('stays where it was answered at once, and so has no record', async () => {
    const { browser, server, client, start, away } = setUp()
    server.on('tools/call', result({ content: [] }))
    const callId = start()
    await browser.advance(10 * SECOND)
    await away((other) => other.resumeToolCalls())
    expect(client.getToolCallState(callId)?.phase).toBe('completed')
  })
})

// page 1  tools/call, key 1 ─ reload
// page 2                              the server has forgotten the key: asks for its tools ─ forgets ─ they arrive: nothing is written
it('a call that is forgotten while its page asks whether it may be sent again leaves no record', async () => {
  const visits = createVisits(createTaskClient, knowsKeys(SECOND))
  const { browser, server } = visits
  const tools = held(
    result({
      tools: [{ name: 'report', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
      ttlMs: 0,
      cacheScope: 'private',
    }),
  )
  server.on('tools/call', silence)
  server.on('tools/list', tools)
  const first = visits.open()
  startReport(first)
  await browser.advance(2 * SECOND)
  const second = visits.open({}, await first.page.reload())
  startReport(second)
  await browser.advance(SECOND)
  expect(visits.count('tools/list')).toBe(1)
  await Promise.all([second.client.forget(), browser.settle()])
  tools.release()
  await browser.advance(SECOND)
  expect(visits.records()).toEqual([])
  expect(visits.count('tools/call')).toBe(1)
})

// tab A  forgets one call ····· forgets all, in the same millisecond: a millisecond later, for the order
// tab B                     calls ·········· writes its record ─ hears of it: removes that
it('a call that is made while another tab forgets one, and then all, in the same millisecond leaves no record', async () => {
  const { browser, server, open, records } = createVisits(createTaskClient)
  server.on('tools/call', created())
  const [a, b] = [open(), open()]
  await Promise.all([a.client.connect(), b.client.connect(), browser.advance(SECOND)])
  void a.client.forget({ callId: 'another' })
  const call = startReport(b)
  await Promise.all([a.client.forget(), browser.advance(5 * SECOND)])
  expect(b.client.getToolCallState(call.callId)).toBeUndefined()
  expect(records()).toEqual([])
})

describe('a call without a task in a page in the back-forward cache', () => {
  function setUp() {
    const visits = createVisits(createTaskClient, knowsKeys())
    const { browser, server, open } = visits
    server.on('tasks/get', snapshot())
    const visit = open({ push: false })
    /** Another tab forgets all calls while the page is away. */
    async function away(): Promise<void> {
      await visit.page.hidePage()
      visit.page.freeze()
      const other = open({ push: false })
      await Promise.all([other.client.forget(), browser.advance(10 * SECOND)])
      await other.page.close()
      void visit.page.showPage()
      void visit.page.thaw()
      await browser.advance(10 * SECOND)
    }
    return { ...visits, visit, away }
  }

  // tab A  tools/call ─╳ backoff ─ in the back-forward cache ········· back: no record any longer, is not sent again
  // tab B                                    forget(), at sign-out
  it('is dropped where another tab has forgotten it before it was sent again', async () => {
    const { browser, server, visit, away, count, records } = setUp()
    server.on('tools/call', http(503), created())
    const { callId } = startReport(visit)
    await browser.settle()
    expect(visit.client.getToolCallState(callId)).toMatchObject({ phase: 'calling', network: 'retrying' })
    await away()
    expect(visit.client.getToolCallState(callId)).toBeUndefined()
    expect(records()).toEqual([])
    expect(count('tools/call')).toBe(1)
  })

  it('goes on where nobody has forgotten it', async () => {
    const { browser, server, visit, count } = setUp()
    server.on('tools/call', http(503), created())
    const { callId } = startReport(visit)
    await browser.settle()
    await visit.page.hidePage()
    visit.page.freeze()
    await browser.advance(10 * SECOND)
    void visit.page.showPage()
    void visit.page.thaw()
    await browser.advance(10 * SECOND)
    expect(visit.client.getToolCallState(callId)?.phase).toBe('working')
    expect(count('tools/call')).toBe(2)
  })
})

// tab A  follows ─ offline ─ respond() ···· told: cancelled ─ told: forgotten ··· online: sends nothing
// tab B            cancel() ── cancelled ── forget()
// tab C                                                        opened
it('is not brought back by a response that another tab could not send until then', async () => {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now })
  const requestedSchema = { type: 'object', properties: {} }
  const size = { method: 'elicitation/create', params: { mode: 'form', message: 'Which size?', requestedSchema } }
  server.on('tools/call', created({ status: 'input_required', inputRequests: { size } }))
  server.on('tasks/get', snapshot({ status: 'input_required', inputRequests: { size } }))
  server.on('tasks/update', ack)
  server.on('tasks/cancel', ack)
  const open = (page: SimulatedPage): TaskClient =>
    createTaskClient({
      url: 'http://localhost/mcp',
      environment: { ...page.environment, fetch: server.fetch },
      push: false,
    })
  const page = browser.openPage()
  const [a, b] = [open(page), open(browser.openPage())]
  const [call] = [a, b].map((client) => client.startToolCall({ name: 'report' }, { key: 'weekly' }))
  call?.result.catch(() => {})
  await browser.advance(3 * SECOND)
  await page.setOnline(false)
  const responding = call?.respond('size', { action: 'decline' }).catch(() => {})
  await browser.advance(SECOND)
  server.on('tasks/get', snapshot({ status: 'cancelled' }))
  await Promise.all([b.getToolCall(String(call?.callId))?.cancel(), browser.advance(10 * SECOND)])
  expect(call?.getState().phase).toBe('cancelled')
  await Promise.all([b.forget(), browser.advance(SECOND)])
  const c = open(browser.openPage())
  await Promise.all([c.connect(), c.resumeToolCalls(), browser.advance(SECOND)])

  await page.setOnline(true)
  await Promise.all([responding, browser.advance(10 * SECOND)])
  expect(server.received('tasks/update')).toHaveLength(0)
  for (const client of [a, b, c]) expect(Object.keys(client.store.getState().calls)).toEqual([])
})

// tab A  leads ─ frozen ······················· thaws: is granted the lead, and listens first
// tab B                 takes the lead ─ forgets
// tab C                                    opens
it('[EDGE-14] a call that was forgotten while a tab was frozen without an event does not come back in a tab that was opened since', async () => {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created({ ttlMs: null }))
  server.on('tasks/get', snapshot({ ttlMs: null }))
  const open = () => {
    const page = browser.openPage()
    const environment = { ...page.environment, fetch: server.fetch }
    return { page, client: createTaskClient({ url: 'http://localhost/mcp', environment, push: false }) }
  }
  const a = open()
  startReport(a)
  await browser.advance(5 * SECOND)
  const b = open()
  await Promise.all([b.client.resumeToolCalls(), browser.advance(2500)])
  a.page.freeze()
  await browser.advance(5 * SECOND)
  await b.client.forget()
  await browser.advance(SECOND)
  const c = open()
  await Promise.all([c.client.resumeToolCalls(), browser.advance(2 * SECOND)])
  await a.page.thaw()
  await browser.advance(10 * SECOND)
  expect(a.client.store.getState().calls).toEqual({})
  expect(c.client.store.getState().calls).toEqual({})
})
