import type { Channel } from 'taskwire/types'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { created, snapshot } from '../support/scriptedServer.js'
import { createVisits, startReport } from '../support/visits.js'
import { createWorkServer } from '../support/workServer.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A server whose task is to be polled every so many ms. */
function setUp(pollIntervalMs = 40_000) {
  const visits = createVisits(createTaskClient)
  visits.server.on('tools/call', created({ pollIntervalMs }))
  visits.server.on('tasks/get', snapshot({ pollIntervalMs }))
  return { ...visits, advance: visits.browser.advance, polls: () => visits.times('tasks/get') }
}

describe('the next page waits', () => {
  it('[DUR-60] from now on, where the clock was ahead when the time of the next poll was noted', async () => {
    const { advance, setClock, open, polls, count } = setUp()
    setClock(HOUR)
    const first = open()
    startReport(first)
    await advance(1000)
    await first.page.crash()
    setClock(-HOUR)
    startReport(open())
    await advance(39_000)
    expect(polls()).toEqual([])
    await advance(2000)
    expect(polls()).toHaveLength(1)
    expect(count('tools/call')).toBe(1)
  })

  it('[DUR-61] a day at most, however late the time of the next poll that was noted', async () => {
    const { advance, open, edit, polls } = setUp()
    const first = open()
    startReport(first)
    await advance(1000)
    await first.page.crash()
    edit(({ task }) => Object.assign(task, { nextPollAt: Number.MAX_SAFE_INTEGER }))
    startReport(open())
    await advance(MINUTE)
    expect(polls()).toEqual([])
    await advance(DAY)
    expect(polls()[0]).toBe(1000 + DAY)
  })
})

describe('the clock of a page that follows a task', () => {
  it('[DUR-62] that is set back does not lengthen the wait', async () => {
    const { advance, setClock, open, polls } = setUp()
    const visit = open()
    startReport(visit)
    await advance(1000)
    setClock(-HOUR)
    await visit.page.setVisible(true)
    await advance(38_999)
    expect(polls()).toEqual([])
    await advance(1001)
    expect(polls()).toHaveLength(1)
  })

  it('[DUR-62] that is set back does not put off the outcome of a call that the page has listed before', async () => {
    const { advance, setClock, open, server } = setUp()
    server.on('tasks/get', snapshot({ status: 'completed', result: { content: [] } }))
    const first = open()
    startReport(first)
    await advance(MINUTE)
    await first.page.crash()
    const { client } = open()
    await Promise.all([client.connect(), advance(1000)])
    const [listed] = Object.values(client.store.getState().calls)
    expect(listed?.phase).toBe('ended')
    setClock(-HOUR)
    client.getToolCall(listed?.callId ?? '')
    await advance(MINUTE)
    expect(client.store.getState().calls[listed?.callId ?? '']?.phase).toBe('completed')
  })

  it('[DUR-82] that is set forward looks like time that has passed: one poll comes early', async () => {
    const { advance, setClock, open, polls } = setUp()
    const visit = open()
    startReport(visit)
    await advance(1000)
    setClock(HOUR)
    await visit.page.setVisible(true)
    // As after a sleep, it listens to the other tabs first.
    await advance(100)
    expect(polls()).toEqual([1100])
    await advance(39_999)
    expect(polls()).toEqual([1100])
    await advance(1)
    expect(polls()).toEqual([1100, 41_100])
  })
})

it('[DUR-83] a late forget() spares a call from before the clock was set back, once the clock has caught up', async () => {
  const server = createWorkServer()
  const { environment } = server.browser.openPage()
  const waiting: (() => void)[] = []
  // A tab that receives the messages of the others when the test says so.
  const channel = (name: string): Channel => {
    const theirs = environment.channel?.(name) as Channel
    return { ...theirs, onMessage: (listener) => theirs.onMessage((data) => waiting.push(() => listener(data))) }
  }
  const deaf = createTaskClient({ url: server.url, environment: { ...environment, channel } })
  deaf.startToolCall({ name: 'work', arguments: { seconds: 600, quiet: true } })
  await server.advance(500)
  server.browser.setClock(-MINUTE)
  const other = createTaskClient({ url: server.url, environment: server.browser.openPage().environment })
  await other.forget()
  await server.advance(MINUTE)
  for (const hear of waiting.splice(0)) hear()
  await server.advance(0)
  expect(Object.values(deaf.store.getState().calls)).toMatchObject([{ phase: 'working' }])
})
