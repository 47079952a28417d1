import type { Environment, TaskClient, ToolCall } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  created,
  createScriptedServer,
  held,
  http,
  result,
  rpcError,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'
import { knowsKeys } from '../support/visits.js'

const SECOND = 1000
const HOUR = 60 * 60 * SECOND

let browser: SimulatedBrowser
let server: ScriptedServer
/** When the server received each poll, in ms of time that has really passed. */
let polls: number[]
let passed: number

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  server = createScriptedServer({ now: browser.now })
  polls = []
  passed = 0
})

/** A task that is to be polled every so many ms. */
function serve(pollIntervalMs: number): void {
  server.on('tools/call', created({ pollIntervalMs }))
  server.on('tasks/get', (request) => {
    polls.push(passed)
    return snapshot({ pollIntervalMs })(request)
  })
}

/** Lets time pass in steps, so that each poll is noted by the step in which it came. */
async function pass(ms: number, step = 100): Promise<void> {
  for (const end = passed + ms; passed < end; ) {
    await browser.advance(step)
    passed += step
  }
}

function openTab(page: SimulatedPage = browser.openPage(), environment: Partial<Environment> = page.environment): Tab {
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment,
    push: false,
  })
  return { page, client }
}

/** A tab in which time passes with everything it does. */
function openBusyTab(): Tab {
  const page = browser.openPage()
  let readings = 0
  return openTab(page, { ...page.environment, now: () => page.environment.now() + ++readings / 1000 })
}

const run = ({ client }: Tab): ToolCall => client.startToolCall({ name: 'report' }, { key: 'k' })

describe('a clock that is set back while two tabs follow a task', () => {
  // tab A  leads ─ clock −1 h ─ frozen, past the poll ──────── thaws
  // tab B                              takes the lead: reads the note of before, which lies an hour ahead
  it.each([
    ['a minute', 60 * SECOND],
    ['an hour', HOUR],
  ])('[EDGE-33] by %s does not stop its polls where the leading tab was frozen past one', async (_, by) => {
    serve(5 * SECOND)
    const [a, b] = [openTab(), openTab()]
    const calls = [run(a)]
    await pass(500)
    calls.push(run(b))
    await pass(11 * SECOND)
    expect(polls).toHaveLength(2)
    browser.setClock(-by)
    await pass(SECOND)
    a.page.freeze()
    await pass(5 * SECOND)
    await a.page.thaw()
    polls = []
    const thawed = passed
    await pass(55 * SECOND)
    // The first within the interval, the second that a tab waits before it takes over, and the interval of the note.
    expect((polls[0] ?? Number.POSITIVE_INFINITY) - thawed).toBeLessThanOrEqual(6 * SECOND)
    expect(polls.length).toBeGreaterThanOrEqual(9)
    const gaps = polls.slice(1).map((at, index) => at - (polls[index] ?? 0))
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(5 * SECOND - 100)
    for (const call of calls) expect(call.getState().network).toBe('ok')
  })

  it('[EDGE-33] does not make a tab that takes over poll before the server has allowed it', async () => {
    serve(20 * SECOND)
    const [a, b] = [openTab(), openTab()]
    run(a)
    await pass(500)
    run(b)
    await pass(SECOND)
    browser.setClock(-HOUR)
    await pass(SECOND)
    await a.page.crash()
    await pass(17 * SECOND)
    expect(polls).toEqual([])
    await pass(10 * SECOND)
    expect(polls).toHaveLength(1)
  })

  // page    polls ─ hidden: notes the next poll ─ gone ▪ clock −1 day, storage full
  // tab A                                               leads ─ frozen ──────── thaws: overdue, takes the lead back ──── overdue …
  // tab B                                                              overdue: takes the lead, reads the note ─── overdue …
  it('[EDGE-33] does not have each take the lead from the other for ever, where the note of before cannot be written over', async () => {
    serve(3 * SECOND)
    const { local } = browser.storage
    const full: ReturnType<Environment['storage']> = {
      get length() {
        return local.length
      },
      key: (index) => local.key(index),
      getItem: (key) => local.getItem(key),
      removeItem: (key) => local.removeItem(key),
      setItem: () => {
        throw new Error('The quota has been exceeded.')
      },
    }
    const openFull = () => {
      const page = browser.openPage()
      return openTab(page, { ...page.environment, storage: () => full })
    }
    const before = openTab()
    run(before)
    await pass(4 * SECOND)
    await before.page.hidePage()
    await before.page.crash()
    browser.setClock(-24 * HOUR)
    const [a, b] = [openFull(), openFull()]
    run(a)
    run(b)
    await pass(20 * SECOND)
    a.page.freeze()
    await pass(3500)
    await a.page.thaw()
    polls = []
    await pass(60 * SECOND)
    expect(polls.length).toBeGreaterThanOrEqual(19)
  })
})

// page  polls ─ clock −1 h ─ the poll fails ─ polls … of which none is answered with the task ─ past the ttl
it('[EDGE-33] a clock that is set back during a poll that fails does not make the ttl longer', async () => {
  const MINUTE = 60 * SECOND
  const failure = held(http(503))
  server.on('tools/call', created({ ttlMs: 10 * MINUTE }))
  server.on('tasks/get', failure, rpcError(-32603, 'Out of order'))
  const call = run(openTab())
  call.result.catch(() => {})
  await pass(2 * SECOND)
  browser.setClock(-HOUR)
  await pass(SECOND)
  failure.release()
  await pass(9 * MINUTE, SECOND)
  expect(call.getState().phase).toBe('working')
  await pass(3 * MINUTE, SECOND)
  expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'TaskExpiredError', reason: 'ttl' } })
})

// tab A  polls ──────────── makes a call: looks at the clock ▪ the poll fails
// tab B  looked before ──── clock −1 h: for it by less ─── tells tab C, which has been opened
it('[EDGE-33] a poll that fails counts, though another tab has seen the clock set back by less', async () => {
  const failure = held(http(503))
  server.on('tools/call', created(), result({ content: [] }))
  server.on('tasks/get', failure, snapshot())
  const [a, b] = [openTab(), openTab()]
  const call = run(a)
  run(b)
  await pass(2900)
  expect(server.received('tasks/get')).toHaveLength(1)
  a.client.startToolCall({ name: 'other' }).result.catch(() => {})
  browser.setClock(-HOUR)
  await pass(100)
  run(openTab())
  await pass(500)
  failure.release()
  await pass(100)
  expect(call.getState()).toMatchObject({ network: 'retrying', failureCount: 1 })
})

// tab A  tools/call ──────── task ─ lock let go ─ forget()
// tab B    waits for the lock ─ frozen ······················ clock set back ─ thaws: granted, and told
it('[EDGE-33] a clock that is set back does not make a tab that was frozen call the tool for a call that was forgotten', async () => {
  const answered = held(created())
  server.on('tools/call', answered)
  const [a, b] = [openTab(), openTab()]
  const [first, second] = [a, b].map(({ client }) => client.startToolCall({ name: 'report' }, { key: 'k' }))
  first?.result.catch(() => {})
  second?.result.catch(() => {})
  await pass(SECOND)
  await b.page.freeze()
  answered.release()
  await pass(SECOND)
  await a.client.forget()
  browser.setClock(-HOUR)
  await b.page.thaw()
  await pass(5 * SECOND)
  expect(server.received('tools/call')).toHaveLength(1)
})

describe('a note that the task is not to be polled for 20 hours, of before the clock was set back', () => {
  const MINUTE = 60 * SECOND

  // visit 1  notes 20 h ─ crashes ─ clock −19 h
  // visit 2                                reads it: 20 h from now ─ crashes
  // visit 3                                             10 h later: 10 h from now, not 20
  it.each([
    ['', openTab],
    [', also where time passes while it is read', openBusyTab],
  ])('[EDGE-33] is as long for each visit that reads it as for the first one%s', async (_, open) => {
    serve(20 * HOUR)
    const first = openTab()
    run(first)
    await pass(MINUTE, MINUTE)
    await first.page.crash()
    browser.setClock(-19 * HOUR)
    for (let visit = 0; visit < 4; visit++) {
      const { page, client } = open()
      await Promise.all([client.resumeToolCalls(), browser.settle()])
      await pass(5 * HOUR, MINUTE)
      await page.crash()
    }
    const { client } = openTab()
    await Promise.all([client.resumeToolCalls(), browser.settle()])
    await pass(10 * MINUTE, MINUTE)
    expect(polls).toHaveLength(1)
    expect(polls[0]).toBeGreaterThanOrEqual(20 * HOUR)
  })

  // visit 1  notes 20 h ─ 19 h later the clock is set back, which this page sees ─ crashes
  // visit 2                                                                  1 h later: polls, not 20 h later
  it('[EDGE-33] is as long for the next visit as for the page that saw the clock set back', async () => {
    serve(20 * HOUR)
    const first = openTab()
    run(first)
    await pass(19 * HOUR, MINUTE)
    browser.setClock(-19 * HOUR)
    await pass(MINUTE, MINUTE)
    await first.page.crash()
    const { client } = openTab()
    await Promise.all([client.resumeToolCalls(), browser.settle()])
    await pass(58 * MINUTE, MINUTE)
    expect(polls).toEqual([])
    await pass(10 * MINUTE, MINUTE)
    expect(polls).toHaveLength(1)
  })

  it('[EDGE-33] is as long where the server asked for it by Retry-After', async () => {
    server.on('tools/call', created())
    server.on('tasks/get', (request) => {
      polls.push(passed)
      return http(503, { headers: { 'retry-after': String((20 * HOUR) / SECOND) } })(request)
    })
    const first = openTab()
    run(first)
    await pass(2 * MINUTE, MINUTE)
    expect(polls).toHaveLength(1)
    await first.page.close()
    browser.setClock(-19 * HOUR)
    for (let visit = 0; visit < 4; visit++) {
      const { page, client } = openTab()
      await Promise.all([client.resumeToolCalls(), browser.settle()])
      await pass(5 * HOUR, MINUTE)
      await page.crash()
    }
    const { client } = openTab()
    await Promise.all([client.resumeToolCalls(), browser.settle()])
    await pass(10 * MINUTE, MINUTE)
    expect(polls).toHaveLength(2)
  })
})

/** The page as it hears last of what was forgotten: that is posted on another channel than the rest, or is held up. */
function forgottenLast(page: SimulatedPage): SimulatedPage {
  const { environment } = page
  const { channel } = environment
  const late: typeof channel = (name) => {
    const opened = channel?.(name)
    if (opened === undefined) throw new TypeError('The page has no channels.')
    return {
      ...opened,
      onMessage: (listener) =>
        opened.onMessage((message) => {
          const isLate = (message as { type?: unknown }).type === 'forgotten'
          environment.setTimeout(() => listener(message), isLate ? SECOND : 0)
        }),
    }
  }
  return { ...page, environment: { ...environment, channel: late } }
}

// tab A  calls ── clock −10.05 s ··· forgets, by its clock 50 ms before the call
// tab B  calls ····························································· hears of that
it.each([
  ['all', ({ client }: Tab) => client.forget()],
  ['the call', ({ client }: Tab, callId: string) => client.forget({ callId })],
] as const)(
  'A call is forgotten in every tab where %s is forgotten in the moment in which the clock that was set back says when it was made',
  async (_, forget) => {
    serve(5 * SECOND)
    const [a, b] = [openTab(), openTab()]
    await Promise.all([a.client.connect(), b.client.connect(), pass(SECOND)])
    const { callId } = run(a)
    run(b)
    await pass(SECOND)
    browser.setClock(-10.05 * SECOND)
    await pass(9 * SECOND)
    await Promise.all([forget(a, callId), pass(SECOND)])
    expect(b.client.getToolCallState(callId)).toBeUndefined()
    const [found] = await Promise.all([openTab().client.resumeToolCalls(), pass(SECOND)])
    expect(found).toEqual([])
  },
)

// tab A  forgets all ── calls ── clock −1 h
// tab B  frozen ·························· thaws: hears of the call, and that all before it was forgotten
it('A call that was made after others were forgotten, and before the clock was set back, is kept by a tab that hears of both late', async () => {
  serve(5 * SECOND)
  const a = openTab()
  const b = openTab(forgottenLast(browser.openPage()))
  await Promise.all([a.client.connect(), b.client.connect(), pass(SECOND)])
  b.page.freeze()
  await Promise.all([a.client.forget(), pass(SECOND)])
  const call = run(a)
  await pass(SECOND)
  browser.setClock(-HOUR)
  await pass(SECOND)
  await b.page.thaw()
  await pass(10 * SECOND)
  expect([call.getState().phase, b.client.getToolCallState(call.callId)?.phase]).toEqual(['working', 'working'])
  const [found] = await Promise.all([openTab().client.resumeToolCalls(), pass(SECOND)])
  expect(found.map(({ callId }) => callId)).toEqual([call.callId])
})

// tab A  forgets a call ── clock −1 d ───────── forgets all
// tab B                                calls ─ records the call ─ hears of that
it('A call that is made when all is forgotten leaves no record, though its tab has forgotten another one before the clock was set back', async () => {
  serve(5 * SECOND)
  const a = openTab()
  const first = run(a)
  first.result.catch(() => {})
  await undefined
  void a.client.forget({ callId: first.callId })
  await pass(100)
  const b = openTab()
  await Promise.all([b.client.connect(), pass(20_000)])
  browser.setClock(-24 * HOUR)
  const call = b.client.startToolCall({ name: 'report' }, { key: 'k', repeat: 'always' })
  call.result.catch(() => {})
  await Promise.all([a.client.forget(), pass(10 * SECOND)])
  expect(b.client.getToolCallState(call.callId)).toBeUndefined()
  const [found] = await Promise.all([openTab().client.resumeToolCalls(), pass(SECOND)])
  expect(found).toEqual([])
})

// tab A  forgets a call ── clock −1 d ── forgets all
// tab B                                      calls ── hears late of that
it('A call that is made after all was forgotten is kept by a tab that hears late of it, though more was forgotten before the clock was set back', async () => {
  serve(60 * SECOND)
  const a = openTab()
  const { callId } = run(a)
  void a.client.forget({ callId })
  await pass(100)
  const b = openTab(forgottenLast(browser.openPage()))
  await Promise.all([b.client.connect(), pass(20 * SECOND)])
  browser.setClock(-24 * HOUR)
  await Promise.all([a.client.forget(), pass(1)])
  const call = run(b)
  await pass(5 * SECOND)
  expect(call.getState().phase).toBe('working')
  const [found] = await Promise.all([openTab().client.resumeToolCalls(), pass(SECOND)])
  expect(found).toHaveLength(1)
})

// tab A   forgets all ── closed ── clock −1 h
// tab B   ········································ hears that all was forgotten
// tab C   ······························ calls
it.each([
  ['by a tab that was opened since, after the clock was set back by an hour', HOUR, () => openTab()],
  ['by a tab that was opened since, after the clock was set back by half a second', SECOND / 2, () => openTab()],
  ['by the tab itself, after the clock was set back by an hour', HOUR, (b: Tab) => b],
] as const)(
  'A call that is made %s, is made once, though a tab hears late that all before it was forgotten',
  async (_, by, tabC) => {
    serve(5 * SECOND)
    const [a, b] = [openTab(), openTab(forgottenLast(browser.openPage()))]
    await Promise.all([a.client.connect(), b.client.connect(), pass(SECOND)])
    void a.client.forget()
    await Promise.all([a.page.close(), browser.settle()])
    browser.setClock(-by)
    run(tabC(b))
    await pass(5 * SECOND)
    await Promise.all([b.page.close(), browser.settle()])
    const call = run(openTab())
    await pass(10 * SECOND)
    expect(call.getState().phase).toBe('working')
    expect(server.received('tools/call')).toHaveLength(1)
  },
)

// tab A   forgets one call, and makes another in the same millisecond
// tab B   had forgotten all before: tab A hears of it then
it('A call that is made in the millisecond in which another one was forgotten is kept when an earlier forget() is heard of', async () => {
  serve(5 * SECOND)
  const a = openTab(forgottenLast(browser.openPage()))
  const b = openTab()
  await Promise.all([a.client.connect(), b.client.connect(), pass(SECOND)])
  const first = a.client.startToolCall({ name: 'report' })
  await pass(SECOND)
  let call: ToolCall | undefined
  a.page.environment.setTimeout(() => {
    void a.client.forget({ callId: first.callId })
    call = run(a)
  }, SECOND)
  await Promise.all([b.client.forget(), pass(3 * SECOND)])
  expect(call?.getState().phase).toBe('working')
  const [found] = await Promise.all([openTab().client.resumeToolCalls(), pass(SECOND)])
  expect(found.map(({ callId }) => callId)).toEqual([call?.callId])
})

it('A call that is sent again and again is given up no later because the clock was set back meanwhile', async () => {
  server = createScriptedServer({ now: browser.now, capabilities: knowsKeys(7 * 24 * HOUR) })
  server.on('tools/call', http(503))
  const { client } = openTab()
  const call = client.startToolCall({ name: 'report' }, { key: 'k' })
  call.result.catch(() => {})
  await browser.advance(HOUR / 2)
  expect(call.getState()).toMatchObject({ phase: 'calling', network: 'retrying' })
  browser.setClock(-24 * HOUR)
  await browser.advance(HOUR + 60 * SECOND)
  expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'ToolCallInterruptedError' } })
})
