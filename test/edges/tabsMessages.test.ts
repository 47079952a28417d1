import type { TaskClient, ToolCall } from 'taskwire'
import { createSimulatedBrowser, type SimulatedBrowser, type SimulatedPage } from 'taskwire/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { completed, created, createScriptedServer, type ScriptedServer, snapshot } from '../support/scriptedServer.js'
import { toldRecord } from '../support/toldRecord.js'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

let browser: SimulatedBrowser
let server: ScriptedServer
let start: number

interface Tab {
  readonly page: SimulatedPage
  readonly client: TaskClient
}

beforeEach(() => {
  browser = createSimulatedBrowser()
  const clock = browser.openPage().environment
  start = clock.now()
  server = createScriptedServer({ now: clock.now })
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
})

function openTab(): Tab {
  const page = browser.openPage()
  const client = createTaskClient({
    url: 'https://tasks.example/mcp',
    transportOptions: { fetch: server.fetch },
    environment: page.environment,
  })
  return { page, client }
}

/** Another script of the origin, which says what it likes on the channel of the client. */
function intruder({ client }: Tab): (message: Record<string, unknown>) => Promise<void> {
  const channel = browser.openPage().environment.channel?.(`taskwire:${client.id}`)
  return async (message) => {
    channel?.postMessage({ v: 1, ...message })
    await browser.settle()
  }
}

/** What another tab tells of the task of the call that `run` makes, noted just now. */
const news =
  (changes: Record<string, unknown>) =>
  ({ client }: Tab) => {
    const now = browser.now()
    const call = { callId: client.toolCallId('report', 'k'), startedAt: start }
    return toldRecord(call, { notedAt: now, triedAt: now, pollIntervalMs: HOUR, ...changes })
  }
const error = { name: 'TaskRequestError', message: 'busy', kind: 'network' }
const failure = { error, network: 'retrying', count: 1, unreached: 1, violations: 0, refusals: 0 }
const failed = (changes: Record<string, unknown>) => news({ failure: { ...failure, ...changes } })

const polls = () => server.times('tasks/get', start)
const run = (tab: Tab): ToolCall => tab.client.startToolCall({ name: 'report' }, { key: 'k' })

/** The times that a message must not carry, and a time that is none of this century. */
const WILD = [Number.NaN, Number.POSITIVE_INFINITY]
const FAR = 1e15

describe('a message between tabs', () => {
  it('[EDGE-26] whose lists have a constructor of their own, or that holds itself, breaks nothing', async () => {
    const tab = openTab()
    const call = run(tab)
    await browser.advance(1500)
    const say = intruder(tab)
    const odd = Object.assign([], { constructor: 5 })
    await say(news({ answered: odd })(tab))
    const itself: Record<string, unknown> = news({})(tab)
    await say({ ...itself, itself })
    const loop = news({})(tab)
    await say({ ...loop, record: Object.assign(loop.record, { loop: loop.record }) })
    await say(news({ idlePolls: 5n, statusMessage: 'more' })(tab))
    await browser.advance(3000)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok' })
    expect(polls().length).toBeGreaterThan(1)
  })

  it('[EDGE-26] whose numbers are objects without a primitive value is no message, and breaks nothing', async () => {
    const tab = openTab()
    const call = run(tab)
    await browser.advance(1500)
    const say = intruder(tab)
    const odd = Object.create(null)
    await say(news({ pollingUntil: odd })(tab))
    await say(failed({ count: odd })(tab))
    await browser.advance(1000)
    expect(call.getState()).toMatchObject({ phase: 'working', failureCount: 0 })
    expect(polls()).toEqual([1000, 2000])
  })

  describe.each([...WILD, FAR])('with %d for a time', (time) => {
    it.each([
      ['nextPollAt', news({ nextPollAt: time })],
      ['retryAt', news({ retryAt: time, failure })],
      ['quietUntil', news({ quietUntil: time })],
      ['pollingUntil', news({ pollingUntil: time })],
      ['triedAt', news({ triedAt: time, retryAt: time })],
      ['notedAt', news({ notedAt: time, nextPollAt: FAR })],
      ['sentAt', news({ sentAt: time })],
      ['snapshotAt', news({ snapshotAt: time, heardAt: time })],
    ])('[EDGE-12] neither stops the polling of a task for good nor makes it flood (%s)', async (_, message) => {
      server.on('tools/call', created({ pollIntervalMs: HOUR }))
      server.on('tasks/get', snapshot({ pollIntervalMs: HOUR }))
      const tab = openTab()
      run(tab)
      const say = intruder(tab)
      await browser.advance(1.5 * HOUR)
      expect(polls()).toEqual([HOUR])
      for (let times = 0; times < 20; times++) await say(message(tab))
      await browser.advance(HOUR / 4)
      // The interval holds.
      expect(polls()).toEqual([HOUR])
      await browser.advance(DAY)
      const after = polls().length
      await browser.advance(10 * HOUR)
      expect(polls().length - after).toBe(10)
    })
  })

  it.each([...WILD, -1, 0.5, 1e300])(
    '[EDGE-12] with %d for the number of failures is no message',
    async (failureCount) => {
      const tab = openTab()
      const call = run(tab)
      const say = intruder(tab)
      await browser.advance(1500)
      await say(failed({ count: failureCount })(tab))
      expect(call.getState()).toMatchObject({ network: 'ok', failureCount: 0 })
      await browser.advance(5000)
      expect(polls()).toEqual([1000, 2000, 3000, 4000, 5000, 6000])
    },
  )

  it('[EDGE-12] that says for how long another tab polls is believed for no longer than a poll is announced', async () => {
    const [a, b] = [openTab(), openTab()]
    run(a)
    await browser.advance(500)
    run(b)
    const say = intruder(b)
    await browser.advance(1000)
    a.page.freeze()
    await say(news({ pollingUntil: start + DAY, pollIntervalMs: 1000 })(b))
    const before = polls().length
    await browser.advance(10_000)
    expect(polls().length - before).toBeGreaterThan(3)
  })

  it.each([...WILD, FAR])(
    '[EDGE-12] that dates the forgetting of every call at %d leaves the calls made since as they are',
    async (at) => {
      const [a, b] = [openTab(), openTab()]
      await Promise.all([a.client.connect(), b.client.connect(), browser.settle()])
      const first = run(a)
      await browser.advance(1500)
      await intruder(b)({ type: 'forgotten', at })
      await browser.advance(1000)
      first.detach()
      // A call made after it is followed in both tabs, and its record is legible to both: the tool runs once.
      server.on('tools/call', created({ taskId: 'later' }))
      server.on('tasks/get', ({ params, ...request }) => {
        return snapshot({ taskId: String(params['taskId']) })({ params, ...request })
      })
      const made = server.received('tools/call').length
      const c = openTab()
      const later = c.client.startToolCall({ name: 'report' }, { key: 'later' })
      await browser.advance(500)
      expect(b.client.getToolCall(later.callId)?.getState().phase).toBe('working')
      const again = b.client.startToolCall({ name: 'report' }, { key: 'later' })
      await browser.advance(2000)
      expect(server.received('tools/call')).toHaveLength(made + 1)
      // So is one that a tab makes which has had the message.
      server.on('tools/call', created({ taskId: 'own' }))
      for (const { client } of [a, openTab()]) {
        client.startToolCall({ name: 'report' }, { key: 'own' })
        await browser.advance(2000)
      }
      expect(server.received('tools/call')).toHaveLength(made + 2)
      server.on('tasks/get', ({ params, ...request }) => {
        return completed({ taskId: String(params['taskId']) })({ params, ...request })
      })
      await browser.advance(2000)
      await expect(Promise.all([later.result, again.result])).resolves.toHaveLength(2)
    },
  )

  it('[EDGE-12] of calls forgotten before the clock was set back does not hide what is called since', async () => {
    const [a, b] = [openTab(), openTab()]
    await Promise.all([a.client.connect(), b.client.connect(), browser.settle()])
    b.page.freeze()
    await Promise.all([a.client.forget(), browser.settle()])
    browser.setClock(-HOUR)
    await b.page.thaw()
    await browser.advance(1000)
    const call = run(openTab())
    await browser.advance(500)
    expect(b.client.getToolCall(call.callId)?.getState().phase).toBe('working')
  })

  const record = (changes: string) =>
    `{"v":1,"callId":"CALL","tool":"report","endpoint":"https://tasks.example/mcp","scope":"","era":"modern",` +
    `"startedAt":NOW,"task":{"taskId":"theirs","status":"working","receivedAt":NOW,"createdAt":"","lastUpdatedAt":"",` +
    `"ttlMs":5000,"answered":[],"isCancelling":false${changes}}}`

  it.each([
    ['startedAt', (text: string) => text.replace('"startedAt":NOW', '"startedAt":1e999'), false],
    ['receivedAt', (text: string) => text.replace('"receivedAt":NOW', '"receivedAt":1e999'), false],
    ['receivedAt of next year', (text: string) => text.replace('"receivedAt":NOW', `"receivedAt":${FAR}`), true],
  ])(
    '[EDGE-12] with a record whose %s is no time of now is followed to its ttl at most, or not at all',
    async (_, change, isFollowed) => {
      const tab = openTab()
      await Promise.all([tab.client.connect(), browser.settle()])
      server.on('tasks/get', snapshot({ taskId: 'theirs', ttlMs: 5000, pollIntervalMs: HOUR }))
      const callId = tab.client.toolCallId('report', 'theirs')
      const text = change(record('')).replaceAll('NOW', String(start)).replace('CALL', callId)
      await intruder(tab)({ type: 'record', record: JSON.parse(text) })
      // A poll that should have been sent long ago makes the tab listen first.
      await browser.advance(200)
      const call = tab.client.getToolCall(callId)
      const times = [call?.getState().startedAt, call?.nextPollAt].filter((time) => time !== undefined)
      expect(times).toHaveLength(isFollowed ? 2 : 0)
      for (const time of times) expect(Math.abs(time - start)).toBeLessThanOrEqual(DAY)
      await browser.advance(DAY + HOUR)
      const phase = tab.client.getToolCall(callId)?.getState().phase
      expect([undefined, 'failed']).toContain(phase)
      const before = polls().length
      await browser.advance(60_000)
      expect(polls()).toHaveLength(before)
      // And it does not stand in the way of a call of that key which is made after it.
      server.on('tools/call', created({ taskId: 'ours' }))
      server.on('tasks/get', completed({ taskId: 'ours' }))
      const ours = tab.client.startToolCall({ name: 'report' }, { key: 'theirs', repeat: 'always' })
      await browser.advance(2000)
      await expect(ours.result).resolves.toBeDefined()
    },
  )
})
