import { createSimulatedBrowser } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { completed, created, createScriptedServer, snapshot } from '../support/scriptedServer.js'

const SECOND = 1000

/** Two tabs that follow one task, of a server that takes so long to answer a poll. */
function setUp(answerMs: number, pollIntervalMs = 5 * SECOND) {
  const browser = createSimulatedBrowser()
  const server = createScriptedServer({ now: browser.now })
  const { setTimeout } = browser.openPage().environment
  let cutOff = 0
  const slow: typeof server.fetch = async (url, init) => {
    if (String(init?.body).includes('"tasks/get"'))
      await new Promise<void>((resolve, reject) => {
        setTimeout(resolve, answerMs)
        init?.signal?.addEventListener('abort', () => {
          cutOff += 1
          reject(init.signal?.reason)
        })
      })
    return server.fetch(url, init)
  }
  let tasks = 0
  server.on('tools/call', (request) => created({ taskId: `task-${++tasks}`, pollIntervalMs })(request))
  const isDone = { now: false }
  server.on('tasks/get', (request) => {
    const taskId = String(request.params?.['taskId'])
    return (isDone.now ? completed({ taskId }) : snapshot({ taskId, pollIntervalMs }))(request)
  })
  const tabs = [1, 2].map(() => {
    const page = browser.openPage()
    const client = createTaskClient({
      url: 'https://tasks.example/mcp',
      transportOptions: { fetch: slow },
      environment: page.environment,
      push: false,
    })
    return { page, client, call: client.startToolCall({ name: 'report' }, { key: 'k' }) }
  })
  const complete = () => {
    isDone.now = true
  }
  return { browser, tabs, complete, cutOff: () => cutOff }
}

type SetUp = ReturnType<typeof setUp>

/** Longer than a tab that says that it polls is believed to, by what was known before. */
const LONG = 600 * SECOND

describe('two tabs of a server that takes seconds to answer a poll', () => {
  // tab A  due ─── asleep ────────── polls ─────────────── response
  // tab B  due ─── asleep ────────── overdue, and waits ─── is told
  it.each([
    ['have slept', async ({ browser }: SetUp) => browser.sleep(LONG)],
    [
      'had no network',
      async ({ browser, tabs }: SetUp) => {
        for (const { page } of tabs) await page.setOnline(false)
        await browser.advance(LONG)
        for (const { page } of tabs) await page.setOnline(true)
      },
    ],
  ])('do not cut off the polls of each other when they %s', async (_, interrupt) => {
    const all = setUp(3 * SECOND)
    const { browser, complete, tabs, cutOff } = all
    await browser.advance(12 * SECOND)
    await interrupt(all)
    complete()
    await browser.advance(5 * SECOND)
    expect(cutOff()).toBe(0)
    for (const { call } of tabs) expect(call.getState().phase).toBe('completed')
  })

  // tab A  polls ─ hidden ▪ cut off, and that is told
  // tab B                 ▪ visible: takes the lead, polls ─────── response
  it('know of the poll that has cut off another one', async () => {
    const { browser, complete, tabs, cutOff } = setUp(4 * SECOND, SECOND)
    const [a, b] = tabs
    await b?.page.setVisible(false)
    await browser.advance(8500)
    await a?.page.setVisible(false)
    await b?.page.setVisible(true)
    complete()
    await browser.advance(6 * SECOND)
    expect(cutOff()).toBeLessThanOrEqual(1)
    for (const { call } of tabs) expect(call.getState().phase).toBe('completed')
  })

  // tab A  polls five of them ───── response ─ polls the next five
  // tab B  the others are overdue, and wait in line there
  it('wait for a turn of each of many tasks in the tab that polls', async () => {
    const { browser, complete, tabs, cutOff } = setUp(3 * SECOND, SECOND)
    const [a, b] = tabs
    for (let at = 0; at < 20; at++)
      for (const tab of [a, b]) tab?.client.startToolCall({ name: 'report' }, { key: `one of many ${at}` })
    await browser.advance(30 * SECOND)
    complete()
    await browser.advance(30 * SECOND)
    expect(cutOff()).toBe(0)
    for (const { client } of tabs) expect(client.toolCalls().getState()).toMatchObject({ completed: 21 })
  })

  it('poll in turn where the one that woke first is frozen again with its poll under way', async () => {
    const { browser, complete, tabs } = setUp(3 * SECOND)
    await browser.advance(12 * SECOND)
    browser.sleep(LONG)
    await browser.advance(500)
    for (const { page } of tabs.slice(0, 1)) page.freeze()
    complete()
    await browser.advance(60 * SECOND)
    expect(tabs[1]?.call.getState().phase).toBe('completed')
  })
})
