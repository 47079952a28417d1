import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { ack, completed, created, http, type Reply, silence, snapshot } from '../support/scriptedServer.js'
import { createVisits, startReport } from '../support/visits.js'

const DAY = 24 * 60 * 60_000
const WEEK = 7 * DAY
const ARGUMENTS = { week: 30 }

describe('the record of a call with a key', () => {
  async function withTask() {
    const visits = createVisits(createTaskClient)
    visits.server.on('tools/call', created({ ttlMs: 60_000, statusMessage: 'Reading' }))
    visits.server.on('tasks/get', snapshot())
    const call = startReport(visits.open({ scope: 'ann' }), ARGUMENTS)
    await visits.browser.settle()
    return { ...visits, call }
  }

  it('[DUR-01] stands under a key that the page before an update knows, and that holds no secret', async () => {
    const { keys, call } = await withTask()
    expect(call.callId).toBe('089be14d1e3ef0027f5c4ec60dd5')
    expect(keys()).toEqual(['taskwire:1:0248483b2ac51c0bb1e679676a74:089be14d1e3ef0027f5c4ec60dd5'])
  })

  it('[DUR-02] says all that is needed to take the task up again', async () => {
    const { records, start, call } = await withTask()
    expect(records()).toEqual([
      {
        v: 1,
        callId: call.callId,
        tool: 'report',
        key: 'weekly',
        endpoint: 'https://tasks.example/mcp',
        scope: 'ann',
        era: 'modern',
        startedAt: start,
        argumentsHash: expect.stringMatching(/^[\da-f]+$/),
        task: {
          taskId: 'task-secret-1',
          status: 'working',
          createdAt: '2026-07-28T00:00:00Z',
          lastUpdatedAt: '2026-07-28T00:00:00Z',
          ttlMs: 60_000,
          pollIntervalMs: 1000,
          receivedAt: start,
          nextPollAt: start + 1000,
          notedAt: start,
          answered: [],
          isCancelling: false,
        },
      },
    ])
  })

  it('[DUR-03] is taken up from the text that a page before an update has written', async () => {
    const { browser, server, open, start, times, count } = createVisits(createTaskClient)
    server.on('tasks/get', completed())
    browser.storage.local.setItem(
      'taskwire:1:0248483b2ac51c0bb1e679676a74:089be14d1e3ef0027f5c4ec60dd5',
      '{"v":1,"callId":"089be14d1e3ef0027f5c4ec60dd5","tool":"report","key":"weekly",' +
        '"endpoint":"https://tasks.example/mcp","scope":"ann","era":"modern",' +
        `"startedAt":${start - 5000},"task":{"taskId":"task-secret-1","status":"working","receivedAt":${start - 4000},` +
        '"createdAt":"2026-07-28T00:00:00Z","lastUpdatedAt":"2026-07-28T00:00:00Z","ttlMs":60000,' +
        `"pollIntervalMs":5000,"nextPollAt":${start + 700},"answered":["q1"],"isCancelling":false}}`,
    )
    const call = startReport(open({ scope: 'ann' }), ARGUMENTS)
    await browser.advance(5000)
    expect(call.getState()).toMatchObject({ phase: 'completed', startedAt: start - 5000 })
    expect(times('tasks/get')).toEqual([700])
    expect(server.received('tasks/get')).toMatchObject([{ params: { taskId: 'task-secret-1' } }])
    expect(count('tools/call')).toBe(0)
  })
})

it('[DUR-06] a record never holds arguments, results, responses, errors or status messages', async () => {
  const secret = 'SECRET'
  const params = { message: secret, requestedSchema: { type: 'object', properties: { secret: { type: 'string' } } } }
  const asks = snapshot({
    status: 'input_required',
    statusMessage: secret,
    inputRequests: { q1: { method: 'elicitation/create', params } },
  })
  const ends: Reply[] = [
    completed({ statusMessage: secret, result: { content: [{ type: 'text', text: secret }] } }),
    snapshot({ status: 'failed', statusMessage: secret, error: { code: 1, message: secret, data: secret } }),
  ]
  for (const end of ends) {
    const { server, browser, open } = createVisits(createTaskClient)
    server.on('tools/call', created({ statusMessage: secret }))
    server.on('tasks/get', asks, http(500, { body: secret }), asks, end)
    server.on('tasks/update', ack)
    const items = new Map<string, string>()
    const written: string[] = []
    const storage = {
      getItem: (key: string) => items.get(key),
      setItem: (key: string, value: string) => {
        written.push(key, value)
        items.set(key, value)
      },
      removeItem: (key: string) => void items.delete(key),
      keys: () => [...items.keys()],
    }
    const visit = open({ storage })
    const call = startReport(visit, { password: secret })
    await browser.advance(1500)
    await call.respond('q1', { action: 'accept', content: { secret } })
    await visit.page.hidePage()
    await visit.page.showPage()
    await browser.advance(60_000)
    expect(['completed', 'failed']).toContain(call.getState().phase)
    expect(items.size).toBe(1)
    expect(written.length).toBeGreaterThan(6)
    expect(written.join()).not.toContain(secret)
  }
})

it('[DUR-08] a record is invisible to another scope and to another server', async () => {
  const { server, browser, open, keys, count } = createVisits(createTaskClient)
  server.on('tools/call', created())
  server.on('tasks/get', snapshot())
  const ann = open({ scope: 'ann' })
  const { callId } = startReport(ann)
  await browser.advance(500)
  await ann.page.crash()
  const polls = count('tasks/get')
  const [key] = keys()
  for (const options of [
    { scope: 'bob' },
    {},
    { scope: 'ann', url: 'https://tasks.example/other' },
    { url: 'https://tasks.example/mcpann' },
  ]) {
    const { client, page } = open(options)
    const [resumed] = await Promise.all([client.resumeToolCalls(), browser.advance(5000)])
    expect(resumed).toEqual([])
    await client.forget({ callId })
    await client.forget()
    await page.crash()
  }
  expect(keys()).toEqual([key])
  expect(count('tasks/get')).toBe(polls)
  const [resumed] = await Promise.all([open({ scope: 'ann' }).client.resumeToolCalls(), browser.advance(1000)])
  expect(resumed.map((call) => call.callId)).toEqual([callId])
})

describe('the record that a page leaves', () => {
  const ended = (ttlMs: number | null) => ({ call: created({ ttlMs }), poll: completed({ ttlMs }) })
  const working = { call: created({ ttlMs: 60_000 }), poll: snapshot({ ttlMs: 60_000 }) }
  const intent = { call: silence, poll: snapshot() }

  it.each([
    ['[DUR-14] of a task that has ended is found within its ttl', ended(60_000), 59_999, 1],
    ['[DUR-15] of a task that has ended is gone after its ttl', ended(60_000), 60_000, 0],
    ['[DUR-16] of a task that has ended, without a ttl, is found within a week', ended(null), WEEK - 1, 1],
    ['[DUR-17] of a task at work is found within a day past its ttl', working, 60_000 + DAY - 1, 1],
    ['[DUR-18] of a task at work is gone a day past its ttl', working, 60_000 + DAY, 0],
    ['[DUR-19] of a call whose response never came is found within a week', intent, WEEK - 1, 1],
    ['[DUR-20] of a call whose response never came is gone after a week', intent, WEEK, 0],
  ])('%s', async (_, { call, poll }, age, found) => {
    const { server, browser, start, open, keys } = createVisits(createTaskClient)
    server.on('tools/call', call)
    server.on('tasks/get', poll)
    const first = open()
    const { callId } = startReport(first)
    await browser.advance(1500)
    await first.page.crash()
    expect(keys()).toHaveLength(1)
    await browser.advance(start + age - browser.now())
    const { client } = open()
    await Promise.all([client.resumeToolCalls(), browser.settle()])
    expect(Object.keys(client.store.getState().calls)).toEqual(found ? [callId] : [])
    expect(keys()).toHaveLength(found)
  })

  it('[DUR-16] of a task without a ttl that has run for more than a week is found within a week of its end', async () => {
    const { server, browser, open, count } = createVisits(createTaskClient)
    const times = { ttlMs: null, pollIntervalMs: DAY / 2 }
    server.on('tools/call', created(times))
    server.on('tasks/get', snapshot(times))
    const first = open()
    startReport(first)
    await browser.advance(8 * DAY)
    server.on('tasks/get', completed(times))
    await browser.advance(DAY)
    await first.page.crash()
    for (const [days, calls] of [
      [5, 1],
      [8, 2],
    ] as const) {
      await browser.advance(days * DAY)
      const later = open()
      const call = startReport(later)
      await browser.advance(1000)
      expect(count('tools/call')).toBe(calls)
      call.detach()
      await later.page.crash()
    }
  })

  it('[DUR-17] of a task at work is found as long as the server has prolonged its ttl', async () => {
    const { server, browser, open, count } = createVisits(createTaskClient)
    server.on('tools/call', created({ ttlMs: 60_000 }))
    server.on('tasks/get', snapshot({ ttlMs: 30 * DAY, pollIntervalMs: 50_000 }))
    const first = open()
    startReport(first)
    await browser.advance(2 * DAY)
    await first.page.crash()
    startReport(open())
    await browser.advance(1000)
    expect(count('tools/call')).toBe(1)
  })
})
