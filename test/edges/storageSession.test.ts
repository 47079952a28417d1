import { createTaskClient, type TaskClient, type TaskClientUrlOptions } from 'taskwire'
import { keptResults } from 'taskwire/results'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { WebStorage } from '../../src/core/environment/environment.js'
import {
  createScriptedServer,
  legacyResult,
  type Reply,
  rpcError,
  type ScriptedRequest,
  type ScriptedServer,
  speakLegacy,
} from '../support/scriptedServer.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE
const WORK = { name: 'work' }

const TASKS_OF_2025 = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }

/** Has the server speak 2025-11-25, and find a task only in the session that made it. */
function keepTasksBySession(server: ScriptedServer, isStateless = false): void {
  const sessions = new Map<string, Map<unknown, { endsAt: number }>>()
  const tasksOf = ({ headers }: ScriptedRequest) => sessions.get(headers.get('mcp-session-id') ?? 'secret-session-1')
  const task = (taskId: unknown, endsAt: number) => {
    const status = browser.now() >= endsAt ? 'completed' : 'working'
    const at = new Date(browser.now()).toISOString()
    return { taskId, status, createdAt: at, lastUpdatedAt: at, ttl: null, pollInterval: SECOND }
  }
  const ofKnown = (answer: (taskId: unknown, endsAt: number) => Record<string, unknown>): Reply => {
    return (request) => {
      const { taskId } = request.params
      const known = tasksOf(request)?.get(taskId)
      const reply = known ? legacyResult(answer(taskId, known.endsAt)) : rpcError(-32602, 'There is no such thing.')
      return reply(request)
    }
  }

  speakLegacy(server, TASKS_OF_2025, () => {
    const sessionId = `secret-session-${sessions.size + 1}`
    sessions.set(sessionId, new Map())
    return isStateless ? {} : { 'mcp-session-id': sessionId }
  })
  server.on('tools/call', (request) => {
    const taskId = `task-${server.requests.length}`
    const { ms = 10 * MINUTE } = request.params['arguments'] as { ms?: number }
    const endsAt = browser.now() + ms
    tasksOf(request)?.set(taskId, { endsAt })
    return legacyResult({ task: task(taskId, endsAt) })(request)
  })
  server.on('tasks/get', ofKnown(task))
  server.on(
    'tasks/result',
    ofKnown(() => ({ content: [{ type: 'text', text: 'done' }] })),
  )
}

let browser: SimulatedBrowser
let server: ScriptedServer

// Loaded where a server turns out to be one of 2025-11-25, which takes real time the first time.
beforeAll(() => import('../../src/sdk/legacy/tasksOverTransport.js'))

beforeEach(() => {
  browser = createSimulatedBrowser({ fetch: (url, init) => server.fetch(url, init) })
  const tool = { name: 'work', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }
  server = createScriptedServer({ now: browser.now, tools: [tool] })
  keepTasksBySession(server)
})

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
  readonly session: WebStorage
}

function memory(): WebStorage {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
}

/** A tab has a session storage of its own, which a reload keeps. */
function openTab(session: WebStorage = memory(), options: Partial<TaskClientUrlOptions> = {}): Tab {
  const page = browser.openPage()
  const environment = {
    ...page.environment,
    storage: (kind: 'local' | 'session') => (kind === 'local' ? browser.storage.local : session),
  }
  return { page, session, client: createTaskClient({ url: 'http://localhost/mcp', environment, ...options }) }
}

async function reload({ page, session }: Tab): Promise<Tab> {
  await page.close()
  return openTab(session)
}

const texts = (storage: WebStorage) =>
  Array.from({ length: storage.length }, (_, index) => {
    const key = storage.key(index) ?? ''
    return `${key} ${storage.getItem(key)}`
  })
const local = () => texts(browser.storage.local)
const start = (
  { client }: Tab,
  args: Record<string, unknown> = {},
  options: { repeat?: 'settled' | 'always' } = {},
) => {
  const call = client.startToolCall({ ...WORK, arguments: args }, { key: 'k', ...options })
  call.result.catch(() => {})
  return call
}

describe('the record of a task that a server of 2025-11-25 keeps for one session', () => {
  it('[EDGE-14] names the session in sessionStorage, and not in localStorage', async () => {
    const tab = openTab()
    const call = start(tab)
    await browser.advance(3 * SECOND)
    expect(call.getState()).toMatchObject({ phase: 'working' })
    expect(texts(tab.session).join()).toContain('secret-session-1')
    expect(local()).toHaveLength(1)
    expect(local().join()).not.toMatch(/secret-session|task-\d/)
  })

  it("[EDGE-14] is in localStorage where the app asks for storage: 'local'", async () => {
    const tab = openTab(undefined, { storage: 'local' })
    start(tab)
    await browser.advance(3 * SECOND)
    expect(texts(tab.session)).toEqual([])
    expect(local().join()).toContain('secret-session-1')
  })

  it('[EDGE-14] leads to the task after a reload of its tab', async () => {
    const tab = openTab()
    start(tab)
    await browser.advance(3 * SECOND)
    const again = await reload(tab)
    const call = start(again)
    await browser.advance(3 * SECOND)
    expect(call.getState()).toMatchObject({ phase: 'working' })
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('[EDGE-14] leads to the outcome of a task that has ended after a reload of its tab', async () => {
    const tab = openTab()
    await Promise.all([start(tab, { ms: 2000 }).result, browser.advance(5 * SECOND)])
    const call = start(await reload(tab), { ms: 2000 })
    await browser.advance(3 * SECOND)
    await expect(call.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it.each(['at once', 'after a reload of the first'])(
    '[EDGE-14] reaches a tab that is opened while its own lives (%s), and only that',
    async (when) => {
      let first = openTab()
      start(first)
      await browser.advance(3 * SECOND)
      if (when !== 'at once') {
        first = await reload(first)
        await Promise.all([first.client.resumeToolCalls(), browser.advance(SECOND)])
      }
      const second = openTab()
      const call = start(second)
      await browser.advance(3 * SECOND)
      expect(call.getState()).toMatchObject({ phase: 'working' })
      expect(server.received('tools/call')).toHaveLength(1)
      expect(local().join()).not.toContain('secret-session')
    },
  )

  it('[EDGE-14] reaches a tab that resumes what is at work', async () => {
    start(openTab())
    await browser.advance(3 * SECOND)
    const second = openTab()
    await Promise.all([second.client.resumeToolCalls(), browser.advance(3 * SECOND)])
    expect(Object.values(second.client.store.getState().calls)).toMatchObject([{ phase: 'working', name: 'work' }])
  })

  it('[EDGE-14] reaches no tab that is opened once its own is gone: the tool is not run again by itself', async () => {
    const first = openTab()
    start(first)
    await browser.advance(3 * SECOND)
    await first.page.close()
    const second = openTab()
    const call = start(second)
    await browser.advance(3 * SECOND)
    await expect(call.result).rejects.toMatchObject({ name: 'ToolCallInterruptedError' })
    expect(server.received('tools/call')).toHaveLength(1)
    const again = start(second, {}, { repeat: 'settled' })
    await browser.advance(3 * SECOND)
    expect(again.getState().phase).toBe('working')
    expect(server.received('tools/call')).toHaveLength(2)
  })

  it('[EDGE-14] of a task that has ended is shared while its tab lives; after that the call is made anew', async () => {
    const first = openTab()
    await Promise.all([start(first, { ms: 2000 }).result, browser.advance(5 * SECOND)])
    const second = openTab()
    const shared = start(second, { ms: 2000 })
    await browser.advance(5 * SECOND)
    await expect(shared.result).resolves.toMatchObject({ content: [{ text: 'done' }] })
    expect(server.received('tools/call')).toHaveLength(1)

    for (const { page } of [first, second]) await page.close()
    const third = start(openTab(), { ms: 2000 })
    await browser.advance(5 * SECOND)
    await expect(third.result).resolves.toBeDefined()
    expect(server.received('tools/call')).toHaveLength(2)
  })

  // tab A  task 1 ─ ended ··································· reload ─ calls, unless it is at work: follows task 2
  // tab B                   calls, unless at work: task 2 ──────────── tells
  it("[EDGE-14] counts no longer once another tab has made the call again with repeat: 'settled'", async () => {
    const first = openTab()
    const ended = start(first)
    await browser.advance(11 * MINUTE)
    expect(ended.getState().phase).toBe('completed')
    const again = start(openTab(), {}, { repeat: 'settled' })
    await browser.advance(3 * SECOND)
    expect(again.getState().phase).toBe('working')
    expect(server.received('tools/call')).toHaveLength(2)
    const call = start(await reload(first), {}, { repeat: 'settled' })
    await browser.advance(3 * SECOND)
    expect(server.received('tools/call')).toHaveLength(2)
    expect(call.getState().task?.taskId).toBe(again.getState().task?.taskId)
  })

  it("[EDGE-14] is that of the later task where another tab makes the call again with repeat: 'always'", async () => {
    const call = start(openTab())
    await browser.advance(3 * SECOND)
    const again = start(openTab(), {}, { repeat: 'always' })
    await browser.advance(3 * SECOND)
    expect(server.received('tools/call')).toHaveLength(2)
    expect(again.getState().phase).toBe('working')
    expect(call.getState().task?.taskId).toBe(again.getState().task?.taskId)
  })

  it('[EDGE-14] goes with a call without a key, from both storages', async () => {
    const tab = openTab()
    const result = tab.client.callTool({ ...WORK, arguments: { ms: 2000 } })
    await browser.advance(SECOND)
    expect([...texts(tab.session), ...local()]).toHaveLength(2)
    await browser.advance(5 * SECOND)
    await result
    expect([...texts(tab.session), ...local()]).toEqual([])
  })

  it('[EDGE-14] is forgotten in both storages, also where another tab forgets it', async () => {
    const [a, b] = [openTab(), openTab()]
    await b.client.resumeToolCalls()
    start(a)
    await browser.advance(3 * SECOND)
    await b.client.forget()
    await browser.advance(SECOND)
    expect([...texts(a.session), ...texts(b.session), ...local()]).toEqual([])
  })

  it('[EDGE-14] is forgotten in both storages by a tab that was reloaded, where another tab forgets it', async () => {
    const [first, b] = [openTab(), openTab()]
    start(first)
    await browser.advance(3 * SECOND)
    const a = await reload(first)
    await Promise.all([a.client.resumeToolCalls(), b.client.resumeToolCalls(), browser.advance(3 * SECOND)])
    expect(texts(a.session)).toHaveLength(1)
    await b.client.forget()
    await browser.advance(SECOND)
    expect([...texts(a.session), ...texts(b.session), ...local()]).toEqual([])
  })

  it('[EDGE-14] is followed beyond a day by the tab that has it, also when that comes back', async () => {
    const tab = openTab()
    const call = start(tab, { ms: 3 * DAY })
    await browser.advance(SECOND)
    browser.sleep(DAY + MINUTE)
    await browser.advance(SECOND)
    void tab.client.callTool({ ...WORK, arguments: { ms: 100 } }).catch(() => {})
    await browser.advance(MINUTE)
    await openTab().client.resumeToolCalls()
    await tab.page.hidePage()
    await tab.page.showPage()
    await browser.advance(MINUTE)
    expect(tab.client.getToolCallState(call.callId)?.phase).toBe('working')
  })

  it('[EDGE-14] leaves no session in the storage of results', async () => {
    const kept = new Map<string, string>()
    const items = {
      get: async (name: string) => kept.get(name),
      set: async (name: string, text: string) => void kept.set(name, text),
      remove: async (names: readonly string[]) => names.forEach((name) => void kept.delete(name)),
      names: async () => [...kept.keys()],
    }
    const tab = openTab(undefined, { results: keptResults({ items }) })
    const call = tab.client.startToolCall({ ...WORK, arguments: { ms: 2000 } }, { key: 'k', keepResult: true })
    await browser.advance(10 * SECOND)
    await call.result
    expect(kept.size).toBe(1)
    expect([...kept].join()).not.toContain('secret-session')
  })

  it('[EDGE-14] that another tab has forgotten meanwhile is swept after a reload', async () => {
    const a = openTab()
    start(a)
    await browser.advance(3 * SECOND)
    await a.page.close()
    await openTab().client.forget()
    const again = openTab(a.session)
    const [resumed] = await Promise.all([again.client.resumeToolCalls(), browser.advance(SECOND)])
    expect(resumed).toEqual([])
    expect(texts(a.session)).toEqual([])
  })

  it.each([undefined, 'local'] as const)('[EDGE-14] is kept for a day at most, with storage: %j', async (storage) => {
    const options = storage && { storage }
    const tab = openTab(undefined, options)
    start(tab, { ms: 3 * DAY })
    await browser.advance(SECOND)
    await tab.page.close()
    browser.sleep(DAY - MINUTE)
    const early = openTab(tab.session, options)
    const [found] = await Promise.all([early.client.resumeToolCalls(), browser.advance(SECOND)])
    expect(found).toHaveLength(1)
    await early.page.close()
    browser.sleep(2 * MINUTE)
    const late = openTab(tab.session, options)
    const [resumed] = await Promise.all([late.client.resumeToolCalls(), browser.advance(SECOND)])
    expect(resumed).toEqual([])
    expect([...texts(tab.session), ...local()]).toEqual([])
  })

  it('[EDGE-14] leaves what others keep in sessionStorage alone', async () => {
    const session = memory()
    session.setItem('theirs', 'x')
    session.setItem('held:theirs', 'x')
    const other = openTab(session, { storage: 'session', scope: 'other' })
    start(other)
    await browser.advance(3 * SECOND)
    const before = texts(session)
    expect(before).toHaveLength(3)
    const tab = openTab(session)
    await Promise.all([tab.client.resumeToolCalls(), browser.advance(SECOND)])
    await tab.client.forget()
    expect(texts(session).map((text) => text.split(' ')[0])).toEqual(before.map((text) => text.split(' ')[0]))
  })

  it('[EDGE-14] of a server without sessions stays in localStorage: its id is all that there is', async () => {
    keepTasksBySession(server, true)
    const tab = openTab()
    start(tab)
    await browser.advance(3 * SECOND)
    expect(texts(tab.session)).toEqual([])
    expect(local().join()).toMatch(/task-\d/)
  })
})
