import type { TaskClient, TaskStorage, ToolCall } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  created,
  createScriptedServer,
  held,
  result,
  type ScriptedServer,
  snapshot,
} from '../support/scriptedServer.js'

const SECOND = 1000
const INTERVAL = 5 * SECOND
const EVERY = { pollIntervalMs: INTERVAL }

let browser: SimulatedBrowser
let server: ScriptedServer
let start: number
/** Which tab has sent each poll, and when. */
let polls: { readonly tab: string; readonly at: number }[]

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
  readonly call: ToolCall
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  start = browser.now()
  server = createScriptedServer({ now: browser.now })
  server.on('tools/call', created(EVERY))
  server.on('tasks/get', snapshot(EVERY))
  polls = []
})

type Environment = SimulatedPage['environment']

/**
 * The page as a browser wakes it: its timers run first, then it receives the messages that have waited, and that its
 * lock was stolen.
 */
function lateNews(environment: Environment): Environment {
  const later = (action: () => void, dueAt = environment.now() + 20): void => {
    environment.setTimeout(() => (environment.now() > dueAt ? later(action) : action()), 20)
  }
  const { locks, channel } = environment
  return {
    ...environment,
    locks: locks && {
      request: (name, options, hold) =>
        new Promise((resolve, reject) => {
          locks.request(name, options, hold).then(resolve, (error: unknown) => later(() => reject(error)))
        }),
    },
    channel:
      channel &&
      ((name) => {
        const opened = channel(name)
        return { ...opened, onMessage: (listener) => opened.onMessage((message) => later(() => listener(message))) }
      }),
  }
}

/** The page as another browser wakes it: what has waited is received first, one message a millisecond. */
function oneByOne(environment: Environment): Environment {
  const { channel } = environment
  let last = 0
  return {
    ...environment,
    channel:
      channel &&
      ((name) => {
        const opened = channel(name)
        return {
          ...opened,
          onMessage: (listener) =>
            opened.onMessage((message) => {
              const now = environment.now()
              last = Math.max(last + 1, now)
              if (last === now) listener(message)
              else environment.setTimeout(() => listener(message), last - now)
            }),
        }
      }),
  }
}

const asIs = (environment: Environment): Environment => environment

/** The storage of a page, which does not finish what it writes as it goes away. */
function slowStorage(page: () => SimulatedPage): TaskStorage {
  const { local } = browser.storage
  const later = <T>(action: () => T): Promise<T> =>
    new Promise((resolve) => page().environment.setTimeout(() => resolve(action()), 10))
  return {
    getItem: (key) => later(() => local.getItem(key)),
    setItem: (key, value) => later(() => local.setItem(key, value)),
    removeItem: (key) => later(() => local.removeItem(key)),
    keys: () => later(() => Array.from({ length: local.length }, (_, index) => local.key(index) ?? '')),
  }
}

async function openTab(tab: string, asItWakes = lateNews): Promise<Tab> {
  const { page, client } = openPage(tab, asItWakes)
  const call = client.startToolCall({ name: 'report' }, { key: 'k' })
  await browser.advance(500)
  return { page, client, call }
}

function openPage(
  tab: string,
  asItWakes: (environment: Environment) => Environment,
  storage?: TaskStorage | 'session',
) {
  const page = browser.openPage()
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: {
      fetch: (url, init) => {
        const isPoll = new Headers(init?.headers).get('mcp-method') === 'tasks/get'
        if (isPoll) polls.push({ tab, at: browser.now() - start })
        return server.fetch(url, init)
      },
    },
    environment: asItWakes(page.environment),
    push: false,
    ...(storage && { storage }),
  })
  return { page, client }
}

// tab A  leads ─ frozen, past its poll ──────────────────── wakes: its timer first, then the news of the theft
// tab B                                 takes over, polls
describe('a tab that was frozen past a poll, and whose lead another one has taken', () => {
  it.each([
    ['a moment after the other tab has polled', 1.5 * SECOND],
    ['after the other tab has polled for a minute', 61 * SECOND],
  ])('[EDGE-53] does not poll when it wakes %s', async (_, frozenFor) => {
    const a = await openTab('A')
    await openTab('B')
    await browser.advance(INTERVAL)
    expect(polls.at(-1)?.tab).toBe('A')
    a.page.freeze()
    await browser.advance(INTERVAL + frozenFor)
    expect(polls.at(-1)?.tab).toBe('B')
    const taken = polls.length
    await a.page.thaw()
    await browser.advance(SECOND)
    expect(polls.slice(taken).filter(({ tab }) => tab === 'A')).toEqual([])
    await browser.advance(60 * SECOND)
    const times = polls.map(({ at }) => at)
    for (const [index, at] of times.slice(1).entries())
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(INTERVAL)
  })

  it.each([
    ['a moment', 1.5 * SECOND],
    ['a minute', 61 * SECOND],
  ])('[EDGE-53] does not poll when it wakes %s after it, where that tab was opened meanwhile', async (_, frozenFor) => {
    const a = await openTab('A')
    await browser.advance(INTERVAL)
    a.page.freeze()
    await openTab('B')
    await browser.advance(INTERVAL + frozenFor)
    expect(polls.at(-1)?.tab).toBe('B')
    const taken = polls.length
    await a.page.thaw()
    await browser.advance(SECOND)
    expect(polls.slice(taken).filter(({ tab }) => tab === 'A')).toEqual([])
  })

  it('[EDGE-53] shows what the other tab has received', async () => {
    const a = await openTab('A')
    const b = await openTab('B')
    await browser.advance(INTERVAL)
    a.page.freeze()
    server.on('tasks/get', snapshot({ ...EVERY, statusMessage: 'half' }))
    await browser.advance(3 * INTERVAL)
    expect(b.call.getState().task?.statusMessage).toBe('half')
    await a.page.thaw()
    await browser.advance(SECOND)
    expect(a.call.getState().task?.statusMessage).toBe('half')
  })

  it('[EDGE-53] polls at once when it wakes, where no other tab has taken over', async () => {
    const a = await openTab('A')
    const b = await openTab('B')
    await browser.advance(INTERVAL)
    await b.page.close()
    a.page.freeze()
    await browser.advance(3 * INTERVAL)
    const before = polls.length
    await a.page.thaw()
    await browser.advance(SECOND)
    expect(polls).toHaveLength(before + 1)
  })
})

// tab A  leads, polls every interval
// tab B  hears of the task ─ frozen, past many polls ─ wakes: the first message comes, of long ago; the others follow
describe('a tab that follows and was frozen while another one polled', () => {
  it('[EDGE-53] does not take the lead by the oldest of the messages that have waited', async () => {
    await openTab('A', oneByOne)
    const b = await openTab('B', oneByOne)
    b.page.freeze()
    await browser.advance(10 * INTERVAL + 2 * SECOND)
    await b.page.thaw()
    await browser.advance(60 * SECOND)
    expect(polls.map(({ tab }) => tab)).toEqual(polls.map(() => 'A'))
    const times = polls.map(({ at }) => at)
    for (const [index, at] of times.slice(1).entries())
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(INTERVAL)
  })

  it('[EDGE-53] does not take the lead and poll where it was frozen again as soon as it woke', async () => {
    await openTab('A', asIs)
    const b = await openTab('B', asIs)
    b.page.freeze()
    await browser.advance(2 * INTERVAL + 2 * SECOND)
    await b.page.thaw()
    b.page.freeze()
    await browser.advance(2 * INTERVAL + 2 * SECOND)
    await b.page.thaw()
    await browser.advance(60 * SECOND)
    const times = polls.map(({ at }) => at)
    for (const [index, at] of times.slice(1).entries())
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(INTERVAL)
  })
})

// tab A  ·················· task, told ─ polls, tells nobody: it knows of no other tab ─ in the back-forward cache ─ back: tells
// tab B  opens ─ frozen ·····························································  wakes: hears of the task, leads ─ listens
describe('a tab that was frozen before it knew of a task', () => {
  it('[EDGE-53] listens before it polls the task that it was told of long ago', async () => {
    const a: ReturnType<typeof openPage> = openPage(
      'A',
      asIs,
      slowStorage(() => a.page),
    )
    const b: ReturnType<typeof openPage> = openPage(
      'B',
      asIs,
      slowStorage(() => b.page),
    )
    b.client.startToolCall({ name: 'report' }, { key: 'other' }).result.catch(() => {})
    b.page.freeze()
    a.client.startToolCall({ name: 'report' }, { key: 'k' }).result.catch(() => {})
    await browser.advance(3 * INTERVAL + SECOND)
    expect(polls.map(({ tab }) => tab)).toEqual(['A', 'A', 'A'])
    await a.page.hidePage()
    a.page.freeze()
    await b.page.thaw()
    await a.page.thaw()
    await a.page.showPage()
    await browser.advance(30 * SECOND)
    const times = polls.map(({ at }) => at)
    for (const [index, at] of times.slice(1).entries())
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(INTERVAL)
  })
})

// tab A  tools/call ── task ────────── asked: tells
// tab B                     lock ─ asks ─ frozen ········· wakes: its timer first, then what A has told
describe('a tab that was frozen while it waited for what others know of a call', () => {
  const start = ({ client }: ReturnType<typeof openPage>) => {
    const call = client.startToolCall({ name: 'report' }, { key: 'k' })
    call.result.catch(() => {})
    return call
  }

  it('[EDGE-53] follows the task that another tab has told it of, and does not call the tool again', async () => {
    start(openPage('A', lateNews, 'session'))
    await browser.advance(SECOND)
    const b = openPage('B', lateNews, 'session')
    const call = start(b)
    await browser.advance(1)
    b.page.freeze()
    await browser.advance(10 * SECOND)
    await b.page.thaw()
    await browser.advance(10 * SECOND)
    expect([server.received('tools/call').length, call.getState().phase]).toEqual([1, 'working'])
  })

  // tab A  tools/call ────────── answered: posts the outcome, lets the lock go
  // tab B     waits ─ frozen ·················· wakes: granted ─ frozen ····· wakes
  it('[EDGE-53] gets the outcome that another tab has posted, also where it was frozen twice', async () => {
    const answered = held(result({ content: [] }))
    server.on('tools/call', answered, result({ content: [] }))
    const [a, b] = [openPage('A', lateNews), openPage('B', lateNews)]
    await Promise.all([a.client.connect(), b.client.connect(), browser.advance(SECOND)])
    start(a)
    await browser.advance(SECOND)
    const call = start(b)
    await browser.advance(SECOND)
    b.page.freeze()
    answered.release()
    await browser.advance(10 * SECOND)
    await b.page.thaw()
    await browser.advance(10)
    b.page.freeze()
    await browser.advance(10 * SECOND)
    await b.page.thaw()
    await browser.advance(SECOND)
    expect([server.received('tools/call').length, call.getState().phase]).toEqual([1, 'completed'])
  })
})
