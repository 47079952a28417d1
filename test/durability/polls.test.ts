import type { TaskClientUrlOptions } from 'taskwire'
import { describe, expect, it } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import {
  ack,
  completed,
  created,
  http,
  type Reply,
  result,
  rpcError,
  silence,
  snapshot,
  TASKS,
  unreachable,
} from '../support/scriptedServer.js'
import { createVisits, startReport } from '../support/visits.js'

const DISCOVERED = result({
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {}, extensions: { [TASKS]: {} } },
})
const DONE = { phase: 'completed', network: 'ok', result: { content: [{ text: 'done' }] } }

/** A call of a task that is to be polled each second, and what its polls are answered with. */
function follow(polls: [Reply, ...Reply[]], options: Partial<TaskClientUrlOptions> = {}) {
  const visits = createVisits(createTaskClient)
  visits.server.on('tools/call', created())
  visits.server.on('tasks/get', ...polls)
  const visit = visits.open(options)
  const call = startReport(visit)
  return { ...visits, ...visit, call, advance: visits.browser.advance, polls: () => visits.times('tasks/get') }
}

describe('a poll that fails', () => {
  it('[DUR-52] backs off with full jitter, and never below the interval', async () => {
    const down = [unreachable, unreachable, unreachable, unreachable, unreachable] as const
    const { advance, polls, call } = follow([...down, completed()])
    await advance(9999)
    expect(call.getState()).toMatchObject({ network: 'retrying', failureCount: 5 })
    await advance(50_000)
    // Half of 500, 1000, 2000, 4000 and 8000 ms; the interval of 1000 ms is the floor.
    expect(polls()).toEqual([1000, 2000, 3000, 4000, 6000, 10_000])
    expect(call.getState()).toMatchObject(DONE)
  })

  it('[DUR-51] because no response comes is given up, and the next one counts', async () => {
    const { advance, polls, call } = follow([silence, completed()])
    await advance(31_500)
    expect(call.getState()).toMatchObject({ network: 'retrying', failureCount: 1 })
    await advance(10_000)
    expect(polls()).toEqual([1000, 32_000])
    expect(call.getState()).toMatchObject({ ...DONE, failureCount: 0 })
  })

  it('[DUR-51] because the page slept while it was under way is none, and the next one comes an interval later', async () => {
    const { advance, page, polls, call } = follow([silence, completed()], { retry: { maxAttempts: 1 } })
    await advance(1500)
    page.freeze()
    await advance(60 * 60_000)
    expect(polls()).toEqual([1000])
    await page.thaw()
    await advance(999)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok', failureCount: 0 })
    expect(polls()).toHaveLength(1)
    await advance(1)
    expect(polls()).toHaveLength(2)
    expect(call.getState()).toMatchObject({ ...DONE, failureCount: 0 })
  })

  it('[DUR-51] because the page slept while it connected is none', async () => {
    const { advance, server, page, open } = follow([snapshot(), completed()])
    await advance(500)
    server.on('server/discover', silence, DISCOVERED)
    const reloaded = await page.reload()
    const call = startReport(open({ retry: { maxAttempts: 1 } }, reloaded))
    await advance(1500)
    reloaded.freeze()
    await advance(60 * 60_000)
    await reloaded.thaw()
    await advance(0)
    expect(call.getState()).toMatchObject({ phase: 'working', network: 'ok', failureCount: 0 })
    await advance(60_000)
    expect(call.getState()).toMatchObject({ ...DONE, failureCount: 0 })
  })

  it('[DUR-51] counts again where the timers of the page are late each time', async () => {
    const { advance, page, call } = follow([silence], { retry: { maxAttempts: 2 } })
    call.result.catch(() => {})
    await advance(1500)
    for (let minute = 0; minute < 6; minute++) {
      page.freeze()
      await advance(60_000)
      await page.thaw()
      await advance(0)
    }
    expect(call.getState()).toMatchObject({ phase: 'failed', error: { name: 'TaskUnreachableError' } })
  })

  it.each([401, 403])(
    '[DUR-54] with HTTP %i is paused, and polling goes on as soon as one succeeds',
    async (status) => {
      const { advance, call } = follow([http(status), completed()])
      await advance(1500)
      expect(call.getState()).toMatchObject({ phase: 'working', network: 'paused' })
      await advance(60_000)
      expect(call.getState()).toMatchObject(DONE)
    },
  )

  it('[DUR-55] ends the call at once where the server does not know the task', async () => {
    const { advance, polls, call } = follow([rpcError(-32602, 'Unknown task')])
    await advance(60_000)
    expect(call.getState()).toMatchObject({ error: { name: 'TaskExpiredError', reason: 'unknown-task' } })
    expect(polls()).toEqual([1000])
  })
})

describe('a task past its ttl', () => {
  it('[DUR-79] is given up with the first poll that finds it unfinished', async () => {
    const { advance, polls, call } = follow([snapshot({ ttlMs: 2500 })])
    await advance(60_000)
    expect(call.getState()).toMatchObject({ error: { name: 'TaskExpiredError', reason: 'ttl' } })
    expect(polls()).toEqual([1000, 2000, 3000])
  })

  it('[DUR-80] delivers what that poll finds finished', async () => {
    const { advance, polls, call } = follow([snapshot({ ttlMs: 1500 }), completed({ ttlMs: 1500 })])
    await advance(60_000)
    expect(polls()).toEqual([1000, 2000])
    expect(call.getState()).toMatchObject(DONE)
  })
})

describe('a page', () => {
  it('[DUR-44] that is hidden polls by default, and pauses where asked to', async () => {
    const on = follow([snapshot()])
    await on.page.setVisible(false)
    await on.advance(3000)
    expect(on.polls()).toEqual([1000, 2000, 3000])

    const off = follow([snapshot()], { poll: { hidden: 'pause' } })
    await off.page.setVisible(false)
    await off.advance(3000)
    expect(off.polls()).toEqual([])
    expect(off.call.getState().network).toBe('paused')
    expect(off.page.timers()).toBe(0)
    await off.page.setVisible(true)
    expect(off.polls()).toEqual([3000])
  })

  it('[DUR-48] does not poll early because the network is back', async () => {
    const { advance, page, polls } = follow([snapshot(), completed()])
    await advance(1500)
    await page.setOnline(false)
    await page.setOnline(true)
    expect(polls()).toEqual([1000])
    await advance(500)
    expect(polls()).toEqual([1000, 2000])
  })

  // task 1  poll, under way ─ hidden: given up ─ shown ─ poll
  // task 2       in line ──── hidden: given up ─ shown ─ poll
  it('that is alone sends no poll while it goes into the back-forward cache, and that in line as well once it is back', async () => {
    const { server, browser, open } = createVisits(createTaskClient)
    server.on('tools/call', created({ taskId: 'task-1' }), created({ taskId: 'task-2' }))
    server.on('tasks/get', silence)
    const { page, client } = open({ crossTab: false, push: false, poll: { maxConcurrent: 1 } })
    const calls = ['a', 'b'].map((key) => client.startToolCall({ name: 'report' }, { key }))
    await browser.advance(2000)
    expect(server.received('tasks/get').map(({ params }) => params['taskId'])).toEqual(['task-1'])
    await page.hidePage()
    await browser.advance(50)
    page.freeze()
    await browser.advance(5000)
    expect(server.received('tasks/get')).toHaveLength(1)
    server.on('tasks/get', (request) => completed({ taskId: request.params['taskId'] })(request))
    await page.thaw()
    await page.showPage()
    await browser.advance(5000)
    expect(calls.map((call) => call.getState().phase)).toEqual(['completed', 'completed'])
  })

  it('[DUR-49] polls once after a sleep, at once, when it is looked at', async () => {
    const { advance, browser, page, polls } = follow([snapshot()])
    await advance(1500)
    browser.sleep(60 * 60_000)
    await page.setVisible(true)
    // It listens first: a tab that was opened meanwhile may have polled.
    await advance(100)
    expect(polls()).toEqual([1000, 1600 + 60 * 60_000])
    await advance(999)
    expect(polls()).toHaveLength(2)
  })
})

describe('a cancellation that was cut off by a reload', () => {
  it.each([
    ['again where the task is at work', snapshot(), 2, { phase: 'working', isCancelling: true }],
    ['no more where the task has ended', completed(), 1, { phase: 'completed' }],
  ])('[DUR-59] is requested %s', async (_, state, times, expected) => {
    const { advance, server, page, open, call, count } = follow([state])
    server.on('tasks/cancel', silence, ack)
    await advance(500)
    void call.cancel().catch(() => {})
    await advance(1000)
    expect(count('tasks/cancel')).toBe(1)
    const next = startReport(open({}, await page.reload()))
    await advance(500)
    expect(next.getState()).toMatchObject(expected)
    expect(count('tasks/cancel')).toBe(times)
    expect(count('tools/call')).toBe(1)
  })

  it('[DUR-59] is requested again where the server restarts during the reload', async () => {
    const { advance, server, page, open, call, count } = follow([snapshot()])
    server.on('tasks/cancel', silence, ack)
    await advance(500)
    void call.cancel().catch(() => {})
    await advance(1000)
    server.on('server/discover', http(503, { headers: { 'retry-after': '5' } }), DISCOVERED)
    const next = startReport(open({}, await page.reload()))
    await advance(500)
    expect(next.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'retrying' })
    await advance(10_000)
    expect(next.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'requested' })
    expect(count('tasks/cancel')).toBe(2)
  })

  it('[DUR-59] is sent once the server can be reached where it is down when the user asks for it', async () => {
    const { advance, server, page, open, count } = follow([snapshot()])
    server.on('tasks/cancel', ack)
    await advance(500)
    server.on('server/discover', http(503, { headers: { 'retry-after': '20' } }), DISCOVERED)
    const next = startReport(open({}, await page.reload()))
    await advance(1500)
    const cancelling = next.cancel()
    await advance(17_000)
    expect(next.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'retrying' })
    expect(count('server/discover')).toBe(2)
    await advance(10_000)
    await cancelling
    expect(next.getState()).toMatchObject({ isCancelling: true, cancelStatus: 'requested' })
    expect(count('tasks/cancel')).toBe(1)
  })

  it('ends with what the call fails with where polls give the server up that does not let the page connect', async () => {
    const { advance, server, page, open } = follow([snapshot()], { retry: { maxAttempts: 3 } })
    await advance(500)
    server.on('server/discover', http(404))
    const next = startReport(open({ retry: { maxAttempts: 3 } }, await page.reload()))
    await advance(500)
    const cancelling = next.cancel().catch((error: unknown) => error)
    await advance(60_000)
    const { phase, error } = next.getState()
    expect([phase, error?.name]).toEqual(['failed', 'TaskUnreachableError'])
    const before = server.received('server/discover').length
    await advance(600_000)
    expect(server.received('server/discover').length).toBe(before)
    await expect(cancelling).resolves.toBe(error)
  })
})

describe('a response to an input request', () => {
  it('is not sent any longer once polls have given the server up, and rejects with what the call fails with', async () => {
    const requestedSchema = { type: 'object', properties: {} }
    const inputRequests = {
      a: { method: 'elicitation/create', params: { mode: 'form', message: 'Sure?', requestedSchema } },
    }
    const asking = snapshot({ status: 'input_required', inputRequests })
    const { advance, server, call, count } = follow([asking, http(503)], { retry: { maxAttempts: 3 } })
    server.on('tasks/update', http(503))
    await advance(1500)
    const responding = call.respond('a', { action: 'accept', content: {} }).catch((error: unknown) => error)
    await advance(60_000)
    const { phase, error } = call.getState()
    expect([phase, error?.name]).toEqual(['failed', 'TaskUnreachableError'])
    const before = count('tasks/update')
    await advance(600_000)
    expect(count('tasks/update')).toBe(before)
    await expect(responding).resolves.toBe(error)
  })
})
