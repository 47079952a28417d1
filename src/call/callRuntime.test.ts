import { describe, expect, it, vi } from 'vitest'
import {
  asks,
  beginCall,
  cancelled,
  completed,
  down,
  failed,
  INTENT,
  RESULT,
  recorded,
  START,
  stubLeadership,
  TASK,
  tabsOf,
  working,
} from '../../test/support/stubbedCall.js'
import {
  TaskCancelledError,
  TaskConfigurationError,
  TaskExpiredError,
  TaskFailedError,
  TaskProtocolError,
  TaskRequestError,
  type TaskStorageError,
  TaskStuckError,
  TaskUnreachableError,
} from '../protocol/errors.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import { createRecordStore } from '../storage/recordStore.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { CallChange } from './callChange.js'
import { LEADER_TIMEOUT_MS, MESSAGE_DELAY_MS } from './tabTimes.js'

describe('polling', () => {
  it('begins one interval after creation and ends with the task', async () => {
    const { page, polls, outcome, entry } = beginCall({ polls: [working(), completed()] })
    await page.advance(60_000)
    expect(polls).toEqual([1000, 2000])
    // Another tab may still ask for it.
    expect(entry.record?.task).toMatchObject({ taskId: 't1', status: 'completed' })
    expect(outcome.result).toBe(RESULT)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it.each([
    ['its own interval', { ...TASK, pollIntervalMs: 3000 }, 3000],
    ['the default where it has none', bare(TASK), 1000],
    ['the least where it asks for none at all', { ...TASK, pollIntervalMs: 0 }, 50],
  ])('begins after %s', async (_, call, expected) => {
    const { page, polls } = beginCall({ call, polls: [completed()] })
    await page.advance(60_000)
    expect(polls).toEqual([expected])
  })

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'begins at once for a task that is born %s',
    async (status) => {
      const { page, polls, state } = beginCall({
        call: { ...TASK, status },
        polls: [status === 'completed' ? completed() : failed],
      })
      await page.settle()
      expect(polls).toEqual([0])
      expect(state().phase).toBe(status === 'completed' ? 'completed' : 'failed')
    },
  )

  it('follows each interval that a snapshot brings', async () => {
    const { page, polls } = beginCall({
      polls: [working({ pollIntervalMs: 5000 }), working({ pollIntervalMs: 200 }), completed()],
    })
    await page.advance(20_000)
    expect(polls).toEqual([1000, 6000, 6200])
  })

  it('counts the interval from the response, not from the request', async () => {
    const { page, polls } = beginCall({ latencyMs: 300 })
    await page.advance(4000)
    expect(polls).toEqual([1000, 2300, 3600])
  })

  it.each([
    [0, 50],
    [undefined, 1000],
    [20, 50],
    [1500.5, 1500.5],
  ])('with an interval of %s asks every %s ms', async (pollIntervalMs, expected) => {
    const { pollIntervalMs: _, ...rest } = TASK
    const task: Task = pollIntervalMs === undefined ? rest : { ...rest, pollIntervalMs }
    const { page, polls } = beginCall({
      follows: recorded({ nextPollAt: START }),
      polls: [{ ...task, status: 'working' }],
    })
    await page.advance(expected * 2)
    expect(polls).toEqual([0, expected, expected * 2])
  })

  it('with an interval longer than any timer makes no hot loop', async () => {
    const { page, polls } = beginCall({ polls: [working({ pollIntervalMs: 1e12 })] })
    await page.advance(60 * 60_000)
    expect(polls).toEqual([1000])
  })

  it('says when the next poll is, and that there is none', async () => {
    const { page, nextPollIn } = beginCall({ polls: [working({ pollIntervalMs: 2000 }), completed()] })
    await page.advance(500)
    expect(nextPollIn()).toBe(1000)
    await page.advance(1000)
    expect(nextPollIn()).toBe(3000)
    await page.advance(60_000)
    expect(nextPollIn()).toBeUndefined()
  })

  it('that brings nothing new keeps the state that is shown', async () => {
    const { page, state } = beginCall()
    await page.advance(1500)
    const before = state()
    await page.advance(10_000)
    expect(state()).toBe(before)
  })

  it('shows that it goes on, and nothing of a stale snapshot', async () => {
    const newest = working({ lastUpdatedAt: '2026-07-28T00:00:05Z', statusMessage: 'new' })
    const { page, polls, state } = beginCall({ polls: [newest, working({ statusMessage: 'old' })] })
    await page.advance(2500)
    expect(polls).toEqual([1000, 2000])
    expect(state().task?.statusMessage).toBe('new')
  })

  it('sends one request at a time, however long the server takes', async () => {
    const { page, polls, push } = beginCall({ latencyMs: 20_000 })
    await page.advance(5000)
    push(working({ lastUpdatedAt: '2026-07-28T00:00:01Z' }))
    await page.setVisible(false)
    await page.setVisible(true)
    await page.setOnline(false)
    await page.setOnline(true)
    await page.showPage()
    await page.advance(15_000)
    expect(polls).toEqual([1000])
  })

  it.each([
    ['failed', [failed], TaskFailedError],
    ['was cancelled', [cancelled], TaskCancelledError],
    ['is unknown to the server', [new TaskExpiredError('unknown-task')], TaskExpiredError],
    ['breaks the protocol', [new TaskProtocolError('nonsense', { source: 'tasks/get' })], TaskProtocolError],
  ])('of a task that %s rejects', async (_, polls, type) => {
    const { page, outcome, state } = beginCall({ polls })
    await page.advance(60_000)
    expect(outcome.error).toBeInstanceOf(type)
    expect(state().error).toBe(outcome.error)
    expect(state().phase).toBe(type === TaskCancelledError ? 'cancelled' : 'failed')
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it.each([
    ['an interval longer than the ttl', { pollIntervalMs: 1e12, ttlMs: 60_000 }, []],
    [
      'a server that asks for a year',
      { ttlMs: 60_000 },
      [new TaskRequestError('busy', { kind: 'http', retryAfterMs: 365 * 24 * 3_600_000 })],
    ],
  ])('is bounded by the ttl: %s', async (_, changes, polls) => {
    const { page, outcome } = beginCall({ call: { ...TASK, ...changes }, polls: [...polls, working(changes)] })
    await page.advance(10 * 60_000)
    expect(outcome.error).toBeInstanceOf(TaskExpiredError)
    expect(outcome.error).toMatchObject({ reason: 'ttl' })
  })

  it('has one timer, whatever the page goes through', async () => {
    const { page } = beginCall({ polls: [working({ pollIntervalMs: 100_000 })] })
    await page.advance(1000)
    await page.setVisible(false)
    await page.setVisible(true)
    await page.showPage()
    await page.setOnline(true)
    expect(page.pendingTimers()).toBe(1)
  })

  it('shares one set of page listeners among all tasks, and has none after the last', async () => {
    const { page, runtime, entry, leave } = beginCall()
    await page.advance(500)
    const before = page.listeners()
    const other = runtime.create({ callId: 'c2', name: 'report', startedAt: START, stage: 'waiting', for: 'lock' })
    runtime.dispatch(other, { type: 'created', task: { ...TASK, taskId: 't2' }, era: 'modern' })
    expect(page.listeners()).toBe(before)
    expect([...runtime.tracked()]).toEqual([entry, other])
    leave(new Error('closed'))
    expect(page.listeners()).toBe(before)
    runtime.leave(other, new Error('closed'))
    expect(page.listeners()).toBe(0)
    expect(page.pendingTimers()).toBe(0)
  })

  it('asks once for two calls that a server answers with one task, and both have its result', async () => {
    const { page, runtime, entry, polls } = beginCall({ polls: [working(), completed()] })
    await page.advance(400)
    const other = runtime.create({ callId: 'c2', name: 'report', startedAt: START, stage: 'waiting', for: 'lock' })
    runtime.dispatch(other, { type: 'created', task: TASK, era: 'modern' })
    await page.advance(10_000)
    expect(polls).toEqual([1000, 2000])
    expect(entry.shown.phase).toBe('completed')
    await expect(other.outcome).resolves.toEqual(RESULT)
    expect(page.pendingTimers()).toBe(0)
  })
})

describe('a poll that fails', () => {
  it('[DUR-52] backs off with full jitter, and never below the interval', async () => {
    const { page, polls, errors, state } = beginCall({
      polls: [down(), down(), down(), down(), down(), completed()],
    })
    await page.advance(9999)
    expect(state()).toMatchObject({ network: 'retrying', failureCount: 5, lastError: { message: 'down' } })
    await page.advance(50_000)
    // Half of 500, 1000, 2000, 4000 and 8000 ms; the interval of 1000 ms is the floor.
    expect(polls).toEqual([1000, 2000, 3000, 4000, 6000, 10_000])
    expect(errors).toHaveLength(5)
  })

  it('honours Retry-After where it is the longest', async () => {
    const busy = new TaskRequestError('busy', { kind: 'http', retryAfterMs: 7000 })
    const { page, polls } = beginCall({ polls: [busy, completed()] })
    await page.advance(60_000)
    expect(polls).toEqual([1000, 8000])
  })

  it('starts the backoff over after a response', async () => {
    const { page, polls } = beginCall({
      polls: [down(), down(), down(), down(), working(), down(), completed()],
    })
    await page.advance(60_000)
    expect(polls).toEqual([1000, 2000, 3000, 4000, 6000, 7000, 8000])
  })

  it('[DUR-51] gives a poll without a response up and goes on', async () => {
    const { page, polls, state } = beginCall({ polls: ['never', completed()] })
    await page.advance(31_500)
    expect(state()).toMatchObject({ network: 'retrying', failureCount: 1 })
    await page.advance(10_000)
    expect(polls).toEqual([1000, 32_000])
    expect(state()).toMatchObject({ phase: 'completed', network: 'ok', failureCount: 0 })
  })

  it('gives up after maxAttempts, with the last failure as cause', async () => {
    const { page, polls, outcome } = beginCall({ polls: [down()], policy: { maxAttempts: 3 } })
    await page.advance(60_000)
    expect(outcome.error).toBeInstanceOf(TaskUnreachableError)
    expect(outcome.error).toMatchObject({ cause: expect.any(TaskRequestError) })
    expect(polls).toHaveLength(3)
  })

  it('[DUR-54] waits for credentials as paused, and asks again', async () => {
    const { page, state, outcome } = beginCall({ polls: [new TaskRequestError('who?', { kind: 'auth' }), completed()] })
    await page.advance(1500)
    expect(state().network).toBe('paused')
    await page.advance(60_000)
    expect(outcome.result).toBe(RESULT)
  })

  it('takes one bad response among good ones for a passing fault', async () => {
    const bad = new TaskProtocolError('nonsense', { source: 'tasks/get' })
    const { page, outcome } = beginCall({ polls: [bad, bad, working(), bad, bad, completed()] })
    await page.advance(60_000)
    expect(outcome.result).toBe(RESULT)
  })

  it('gives up after three bad responses in a row', async () => {
    const bad = new TaskProtocolError('nonsense', { source: 'tasks/get' })
    const { page, polls, outcome } = beginCall({ polls: [bad] })
    await page.advance(60_000)
    expect(outcome.error).toBe(bad)
    expect(polls).toHaveLength(3)
  })

  it('refuses a response about another task', async () => {
    const { page, outcome } = beginCall({ polls: [working({ taskId: 'other' })] })
    await page.advance(60_000)
    expect(outcome.error).toBeInstanceOf(TaskProtocolError)
  })

  it('[DUR-55] ends at once where the server does not know the task', async () => {
    const gone = new TaskExpiredError('unknown-task')
    const { page, polls, outcome } = beginCall({ polls: [gone] })
    await page.advance(60_000)
    expect(outcome.error).toBe(gone)
    expect(polls).toHaveLength(1)
  })

  it('for the way in which this page is set up ends the call here, and is posted to no other tab', async () => {
    const misconfigured = new TaskConfigurationError('not connected')
    const { page, outcome, posted } = beginCall({ polls: [misconfigured] })
    await page.advance(60_000)
    expect(outcome.error).toBe(misconfigured)
    expect(posted.map(({ type }) => type)).not.toContain('ended')
  })

  it('is still retrying when the browser is back online after failures', async () => {
    const { page, state } = beginCall({ polls: [down()] })
    await page.advance(1500)
    await page.setOnline(false)
    expect(state().network).toBe('offline')
    await page.setOnline(true)
    expect(state()).toMatchObject({ network: 'retrying', failureCount: 1 })
  })

  it('has passed with the next response, also with one that is out of date', async () => {
    const newest = working({ lastUpdatedAt: '2026-07-28T00:00:05Z' })
    const { page, state } = beginCall({ polls: [newest, down(), working()] })
    await page.advance(1500)
    const before = state()
    await page.advance(1000)
    expect(state()).toMatchObject({ network: 'retrying', failureCount: 1 })
    await page.advance(1000)
    expect(state()).toEqual(before)
  })
})

describe('the ttl', () => {
  it('[DUR-79] ends with the first poll past the ttl that finds the task unfinished', async () => {
    const { page, polls, outcome } = beginCall({ polls: [working({ ttlMs: 2500 })] })
    await page.advance(60_000)
    expect(outcome.error).toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
    expect(polls).toEqual([1000, 2000, 3000])
  })

  it('[DUR-80] delivers what that poll finds finished', async () => {
    const { page, outcome } = beginCall({ polls: [working({ ttlMs: 1500 }), completed({ ttlMs: 1500 })] })
    await page.advance(60_000)
    expect(outcome.result).toBe(RESULT)
  })

  it('is the one of the newest snapshot', async () => {
    const { page, outcome } = beginCall({
      polls: [working({ ttlMs: 1500 }), working({ ttlMs: 60_000 }), working({ ttlMs: 60_000 }), completed()],
    })
    await page.advance(60_000)
    expect(outcome.result).toBe(RESULT)
  })

  it('bounds a server that cannot be reached', async () => {
    const { page, outcome } = beginCall({ call: { ...TASK, ttlMs: 20_000 }, polls: [down()] })
    await page.advance(120_000)
    expect(outcome.error).toMatchObject({ reason: 'ttl', cause: expect.any(TaskRequestError) })
  })
})

describe('a pushed snapshot', () => {
  it('counts at once while a poll is under way', async () => {
    const { page, outcome, push } = beginCall({ polls: [working({ pollIntervalMs: 60_000 })], latencyMs: 500 })
    await page.advance(1200)
    push(completed({ lastUpdatedAt: '2026-07-28T00:00:09Z' }))
    await page.settle()
    expect(outcome.result).toBe(RESULT)
    await page.advance(1000)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('counts although another came in the same moment', async () => {
    const { page, outcome, push } = beginCall({ call: { ...TASK, pollIntervalMs: 60_000 } })
    await page.settle()
    push(working({ lastUpdatedAt: '2026-07-28T00:00:01Z', pollIntervalMs: 60_000 }))
    push(completed({ lastUpdatedAt: '2026-07-28T00:00:02Z' }))
    await page.settle()
    expect(outcome.result).toBe(RESULT)
  })

  it('that is out of date shows nothing, is posted to no other tab, and brings no poll forward', async () => {
    const latest = working({ lastUpdatedAt: '2026-07-28T00:00:05Z', pollIntervalMs: 60_000 })
    const { page, polls, push, state, posted } = beginCall({ polls: [latest] })
    await page.advance(1000)
    const [before, count] = [state(), posted.length]
    push(working({ lastUpdatedAt: '2026-07-28T00:00:00Z', pollIntervalMs: 1000 }))
    expect(state()).toBe(before)
    expect(posted).toHaveLength(count)
    await page.advance(30_000)
    expect(polls).toEqual([1000])
  })

  it('is posted to the other tabs, with the time of the next poll', async () => {
    const { page, push, changePush, posted } = beginCall()
    await page.settle()
    changePush(true)
    const task = working({ lastUpdatedAt: '2026-07-28T00:00:01Z' })
    push(task)
    expect(posted).toEqual([{ type: 'snapshot', task, nextPollAt: START + 30_000 }])
  })

  it('is not needed where the server hints that there is something new: it is asked at once', async () => {
    const { page, polls, hint } = beginCall({ call: { ...TASK, pollIntervalMs: 60_000 } })
    await page.advance(500)
    hint()
    await page.settle()
    expect(polls).toEqual([500])
  })

  it('leaves the safety interval, and one interval as soon as the push is over', async () => {
    const { page, polls, push, changePush } = beginCall({
      polls: [working({ lastUpdatedAt: '2026-07-28T00:00:02Z' })],
    })
    await page.advance(500)
    changePush(true)
    push(working({ lastUpdatedAt: '2026-07-28T00:00:01Z' }))
    await page.advance(30_000)
    expect(polls).toEqual([30_500])
    await page.advance(2000)
    changePush(false)
    await page.settle()
    expect(polls).toEqual([30_500, 32_500])
  })
})

describe('the life of a page', () => {
  it('pauses offline and polls at once, with jitter, when back online, if it is due', async () => {
    const { page, polls, state } = beginCall({ polls: [working(), completed()] })
    await page.advance(1500)
    await page.setOnline(false)
    await page.advance(10_000)
    expect(polls).toEqual([1000])
    expect(state().network).toBe('offline')
    expect(page.pendingTimers()).toBe(0)
    await page.setOnline(true)
    // Half of 200 ms: not all pages come back in the same moment.
    await page.advance(99)
    expect(polls).toEqual([1000])
    await page.advance(1)
    expect(polls).toEqual([1000, 11_600])
  })

  it('says that it is offline only while it is', async () => {
    const busy = new TaskRequestError('busy', { kind: 'http', retryAfterMs: 60_000 })
    const { page, polls, state } = beginCall({ polls: [busy, completed()] })
    await page.advance(1500)
    await page.setOnline(false)
    expect(state().network).toBe('offline')
    await page.setOnline(true)
    expect(state().network).toBe('retrying')
    expect(polls).toEqual([1000])
  })

  it('[DUR-48] does not poll early because the network is back', async () => {
    const { page, polls } = beginCall({ polls: [working(), completed()] })
    await page.advance(1500)
    await page.setOnline(false)
    await page.setOnline(true)
    expect(polls).toEqual([1000])
    await page.advance(500)
    expect(polls).toEqual([1000, 2000])
  })

  it('does not poll early because it was offline when the poll was due', async () => {
    const { page, polls } = beginCall({ call: { ...TASK, pollIntervalMs: 30_000 } })
    await page.settle()
    await page.setOnline(false)
    await page.setVisible(true)
    await page.advance(5000)
    await page.setOnline(true)
    await page.advance(24_999)
    expect(polls).toEqual([])
    await page.advance(1)
    expect(polls).toEqual([30_000])
  })

  it('keeps to the interval of a response that was out of date, too', async () => {
    const latest = working({ lastUpdatedAt: '2026-07-28T00:00:05Z' })
    const { page, polls } = beginCall({ polls: [latest, working({ pollIntervalMs: 5000 }), completed()] })
    await page.advance(2000)
    await page.setOnline(false)
    await page.setOnline(true)
    await page.advance(10_000)
    expect(polls).toEqual([1000, 2000, 7000])
  })

  it('cuts a backoff short when the network is back, down to what the server asked for', async () => {
    const { page, polls } = beginCall({ polls: [...Array.from({ length: 7 }, down), completed()] })
    await page.advance(19_000)
    // The seventh failure, at 18 s, would wait 15 s.
    expect(polls.at(-1)).toBe(18_000)
    await page.setOnline(false)
    await page.advance(100)
    await page.setOnline(true)
    await page.advance(100)
    expect(polls.at(-1)).toBe(19_200)
  })

  it('back online waits for Retry-After all the same', async () => {
    const busy = new TaskRequestError('busy', { kind: 'http', retryAfterMs: 7000 })
    const { page, polls } = beginCall({ polls: [busy, completed()] })
    await page.advance(1500)
    await page.setOnline(false)
    await page.setOnline(true)
    await page.advance(6499)
    expect(polls).toEqual([1000])
    await page.advance(1)
    expect(polls).toEqual([1000, 8000])
  })

  it('[DUR-44] goes on hidden by default, and pauses where asked to', async () => {
    const on = beginCall()
    await on.page.setVisible(false)
    await on.page.advance(3000)
    expect(on.polls).toEqual([1000, 2000, 3000])

    const off = beginCall({ policy: { hidden: 'pause' } })
    await off.page.setVisible(false)
    await off.page.advance(3000)
    expect(off.polls).toEqual([])
    expect(off.state().network).toBe('paused')
    expect(off.page.pendingTimers()).toBe(0)
    await off.page.setVisible(true)
    expect(off.polls).toEqual([3000])
  })

  it('takes what is pushed also hidden or offline', async () => {
    const { page, push, outcome } = beginCall({ policy: { hidden: 'pause' } })
    await page.settle()
    await page.setVisible(false)
    await page.setOnline(false)
    push(completed())
    await page.settle()
    expect(outcome.result).toBe(RESULT)
  })

  it('[DUR-49] after a sleep polls once, at once, when the page is looked at', async () => {
    const { page, polls } = beginCall()
    await page.advance(1500)
    page.sleep(60 * 60_000)
    await page.setVisible(true)
    expect(polls).toHaveLength(2)
    await page.advance(999)
    expect(polls).toHaveLength(2)
  })

  it('[DUR-82] a clock set forward looks like time that has passed', async () => {
    const { page, polls } = beginCall({ call: { ...TASK, pollIntervalMs: 40_000 } })
    await page.advance(1000)
    page.setClock(60 * 60_000)
    await page.setVisible(true)
    expect(polls).toEqual([1000 + 60 * 60_000])
  })

  it('[DUR-62] a clock set back does not lengthen the wait', async () => {
    const { page, polls } = beginCall({ call: { ...TASK, pollIntervalMs: 40_000 } })
    await page.advance(1000)
    page.setClock(-60 * 60_000)
    await page.setVisible(true)
    await page.advance(40_000)
    expect(polls).toHaveLength(1)
  })

  it('a clock set back is noticed by the next timer where nothing else happens', async () => {
    const { page, polls } = beginCall({
      call: { ...TASK, pollIntervalMs: 40_000 },
      polls: [working({ pollIntervalMs: 100_000 })],
    })
    await page.advance(1000)
    page.setClock(-60 * 60_000)
    // 30 s at most until the next look at the clock, which does not know when the clock was set.
    await page.advance(40_000 + 30_000)
    expect(polls).toHaveLength(1)
  })

  it('a clock set back does not lengthen the wait for a task that is pushed no more', async () => {
    const { page, polls, push, changePush } = beginCall()
    await page.settle()
    changePush(true)
    push(working({ lastUpdatedAt: '2026-07-28T00:00:01Z' }))
    await page.advance(500)
    page.setClock(-60 * 60_000)
    await page.setVisible(true)
    changePush(false)
    await page.advance(1000)
    expect(polls).toHaveLength(1)
  })

  it('a clock set back does not lengthen the ttl', async () => {
    const { page, outcome } = beginCall({ call: { ...TASK, ttlMs: 5000 }, polls: [working({ ttlMs: 5000 })] })
    await page.advance(1500)
    page.setClock(-60 * 60_000)
    await page.advance(10_000)
    expect(outcome.error).toMatchObject({ reason: 'ttl' })
  })

  it('a clock set back lengthens no wait of the page that comes after this one', async () => {
    const { page, storage } = beginCall({ polls: [working({ pollIntervalMs: 5000 })] })
    await page.advance(1500)
    page.setClock(-60 * 60_000)
    await page.hidePage()
    const task = storage.record?.task
    const now = page.now()
    // The page looked at its clock last when the poll came back, and takes the time since for none.
    expect(task).toMatchObject({ notedAt: now, nextPollAt: now + 5000, snapshotAt: now, receivedAt: now - 1000 })
  })

  it('a clock set back while nobody observes the call does not lengthen the wait', async () => {
    const { page, polls, runtime, entry } = beginCall({ followsUnobserved: false })
    await page.advance(500)
    page.setClock(-60 * 60_000)
    await page.setVisible(true)
    runtime.observe(entry)
    await page.advance(1000)
    expect(polls).toHaveLength(1)
  })
})

describe('a record', () => {
  const task = (storage: { record?: ToolCallRecord | undefined }) => storage.record?.task

  it('[DUR-02] says all that is needed to take the task up again', async () => {
    const { page, storage } = beginCall({ call: { ...TASK, ttlMs: 60_000, statusMessage: 'Reading' } })
    await page.settle()
    expect(storage.record).toEqual({
      ...INTENT,
      task: {
        taskId: 't1',
        status: 'working',
        createdAt: TASK.createdAt,
        lastUpdatedAt: TASK.lastUpdatedAt,
        ttlMs: 60_000,
        pollIntervalMs: 1000,
        receivedAt: START,
        nextPollAt: START + 1000,
        notedAt: START,
        answered: [],
        isCancelling: false,
      },
    })
  })

  it.each([
    ['completed', [completed()], 'completed'],
    ['failed', [failed], 'failed'],
    ['been cancelled', [cancelled], 'cancelled'],
  ] as const)('of a task that has %s is kept, so that a reload need not call again', async (_, polls, status) => {
    const { page, storage } = beginCall({ polls: [...polls] })
    await page.advance(60_000)
    expect(task(storage)?.status).toBe(status)
  })

  it('of a task that has expired is removed', async () => {
    const { page, storage } = beginCall({ key: undefined, polls: [new TaskExpiredError('unknown-task')] })
    await page.advance(60_000)
    expect(storage.record).toBeUndefined()
  })

  it('of a task that is past its ttl is removed', async () => {
    const call = { ...TASK, ttlMs: 2500 }
    const { page, storage } = beginCall({ key: undefined, call, polls: [working({ ttlMs: 2500 })] })
    await page.advance(60_000)
    expect(storage.record).toBeUndefined()
  })

  it('of a task that has expired is kept where the call has a key, so that a reload does not call again', async () => {
    const { page, storage } = beginCall({ polls: [new TaskExpiredError('unknown-task')] })
    await page.advance(60_000)
    expect(task(storage)?.taskId).toBe('t1')
  })

  it('of a task whose server broke the protocol is kept: a later version may do better', async () => {
    const { page, storage } = beginCall({ polls: [new TaskProtocolError('nonsense', { source: 'tasks/get' })] })
    await page.advance(60_000)
    expect(task(storage)?.taskId).toBe('t1')
  })

  it('[DUR-06] never holds arguments, results, responses, errors or status messages', async () => {
    const secret = 'SECRET'
    const question: DetailedTask = {
      ...TASK,
      status: 'input_required',
      statusMessage: secret,
      inputRequests: { q1: { method: 'elicitation/create', params: { message: secret, requestedSchema: {} } } },
    }
    for (const end of [
      { ...completed(), result: { content: [{ type: 'text', text: secret }] } } as DetailedTask,
      { ...failed, statusMessage: secret, error: { code: 1, message: secret, data: secret } } as DetailedTask,
    ]) {
      const { page, respond, written, storage } = beginCall({
        request: { name: 'report', arguments: { password: secret } },
        call: { ...TASK, statusMessage: secret },
        polls: [question, new TaskRequestError(secret, { kind: 'network' }), question, end],
      })
      await page.advance(1500)
      await respond('q1', { action: 'accept', content: { secret } })
      await page.hidePage()
      await page.advance(60_000)
      expect(task(storage)).toBeDefined()
      expect(written.length).toBeGreaterThan(3)
      expect(JSON.stringify(written)).not.toContain(secret)
    }
  })

  it('knows on pagehide when the next poll is, before the page is gone', async () => {
    const { page, storage } = beginCall({ polls: [working(), working({ pollIntervalMs: 7000 })] })
    await page.advance(2500)
    expect(task(storage)?.nextPollAt).toBe(START + 1000)
    await page.hidePage()
    expect(task(storage)).toMatchObject({ nextPollAt: START + 9000, pollIntervalMs: 7000 })
  })

  it('counts a poll that the page cuts off', async () => {
    const { page, storage, polls } = beginCall({ polls: ['never', working()] })
    await page.advance(1100)
    expect(polls).toEqual([1000])
    await page.hidePage()
    expect(task(storage)?.nextPollAt).toBeGreaterThanOrEqual(START + 2000)
    await page.showPage()
    await page.advance(899)
    expect(polls).toEqual([1000])
    await page.advance(1000)
    expect(polls).toHaveLength(2)
  })

  it('is not written any more once the call was left', async () => {
    const { page, leave, written } = beginCall()
    await page.advance(1500)
    leave(new Error('closed'))
    await page.settle()
    const count = written.length
    await page.hidePage()
    await page.advance(60_000)
    expect(written).toHaveLength(count)
  })

  it('that another page has removed is not written again', async () => {
    const items = new Map<string, string>()
    const records = createRecordStore({
      storage: {
        getItem: (key) => items.get(key) ?? null,
        setItem: (key, value) => void items.set(key, value),
        removeItem: (key) => void items.delete(key),
        keys: () => [...items.keys()],
      },
      endpoint: INTENT.endpoint,
      scope: '',
      now: () => START,
      pause: () => Promise.resolve(),
      onError: () => {},
    })
    const { page, cancel, polls } = beginCall({ records, polls: [working(), completed()] })
    await page.advance(1500)
    expect(items.size).toBe(1)
    items.clear()
    await page.hidePage()
    await page.hidePage()
    await cancel()
    await page.advance(10_000)
    expect(polls).toEqual([1000, 2000])
    expect(items.size).toBe(0)
  })

  it('that a storage could not write is written with the next change', async () => {
    const written: ToolCallRecord[] = []
    const results = [true, false, true]
    const { page } = beginCall({
      records: {
        write: async (record) => {
          const isWritten = results.shift() ?? true
          if (isWritten) written.push(record)
          return isWritten
        },
        update: async (record, isKept) => {
          if (!isKept) written.push(record)
          return !isKept
        },
        read: () => Promise.resolve(undefined),
        remove: () => Promise.resolve(),
      },
    })
    await page.advance(1500)
    expect(written).toHaveLength(1)
    await page.hidePage()
    expect(written).toHaveLength(2)
    expect(written.at(-1)?.task?.taskId).toBe('t1')
  })
})

describe('a task that a record names', () => {
  it('is polled when the record says so, and not called again', async () => {
    const { page, polls, log, outcome } = beginCall({
      follows: recorded({ nextPollAt: START + 4200 }),
      polls: [working(), completed()],
    })
    await page.advance(60_000)
    expect(polls).toEqual([4200, 5200])
    expect(log).not.toContain('tools/call')
    expect(log).toContain('complete report')
    expect(outcome.result).toEqual(RESULT)
  })

  it.each([
    ['none', undefined],
    ['one that has passed', START - 60_000],
  ])('is polled at once where the time that the record has is %s', async (_, nextPollAt) => {
    const { page, polls } = beginCall({
      follows: recorded(nextPollAt === undefined ? {} : { nextPollAt }),
      polls: [completed()],
    })
    await page.settle()
    expect(polls).toEqual([0])
  })

  it('is shown as it was left', async () => {
    const { page, state } = beginCall({
      follows: recorded({ nextPollAt: START + 1000, isCancelling: true, pollIntervalMs: 500 }),
    })
    await page.settle()
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true, task: { ...TASK, pollIntervalMs: 500 } })
  })

  it('does not ask again what was answered before', async () => {
    const { page, state } = beginCall({ follows: recorded({ answered: ['q1'] }), polls: [asks] })
    await page.advance(5000)
    expect(state()).toMatchObject({ phase: 'input_required' })
    expect(state().inputRequests).toEqual({})
  })

  it('counts its ttl from when it was received, not from the reload', async () => {
    const { page, outcome } = beginCall({
      follows: recorded({ ttlMs: 60_000, receivedAt: START - 58_000 }),
      polls: [working({ ttlMs: 60_000 })],
    })
    await page.advance(5000)
    expect(outcome.error).toMatchObject({ reason: 'ttl' })
  })

  it('counts its ttl from now at the latest: the clock may have been ahead when it was received', async () => {
    const { page, outcome } = beginCall({
      follows: recorded({ ttlMs: 5000, receivedAt: START + 3_600_000 }),
      polls: [working({ ttlMs: 5000 })],
    })
    await page.advance(10_000)
    expect(outcome.error).toMatchObject({ reason: 'ttl' })
  })

  it('is polled an interval after a push that is over, although its snapshot was noted by a clock that was ahead', async () => {
    const { page, polls, changePush } = beginCall({
      follows: recorded({ snapshotAt: START + 3_600_000, notedAt: START + 3_600_000, nextPollAt: START + 3_601_000 }),
    })
    changePush(true)
    changePush(false)
    await page.advance(1000)
    expect(polls).toEqual([1000])
  })

  it('waits as long as an earlier page was asked to, however long that is', async () => {
    const follows = recorded({ nextPollAt: START + 90_000, notedAt: START - 10_000, pollIntervalMs: 1000 })
    const { page, polls } = beginCall({ follows, polls: [completed()] })
    await page.advance(200_000)
    expect(polls).toEqual([90_000])
  })

  describe('waits', () => {
    it.each([
      ['[DUR-60] from now on, where the clock was ahead when it was noted', 3_600_000, 3_602_000, [2000]],
      ['[DUR-61] a day at most', -1000, Number.MAX_SAFE_INTEGER, [24 * 60 * 60_000]],
    ])('%s', async (_, notedAt, nextPollAt, expected) => {
      const follows = recorded({ notedAt: START + notedAt, nextPollAt: START + nextPollAt })
      const { page, polls } = beginCall({ follows, polls: [completed()] })
      await page.advance(60_000)
      expect(polls).toEqual(expected.filter((at) => at <= 60_000))
      await page.advance(24 * 60 * 60_000)
      expect(polls).toEqual(expected)
    })
  })

  it.each([
    ['goes on', 'working', 1],
    ['has come to an end', 'completed', 0],
  ] as const)(
    '[DUR-59] asks for a cancellation anew that may not have got through, where the task %s',
    async (_, status, times) => {
      const { page, count, state } = beginCall({
        follows: recorded({ isCancelling: true, status, nextPollAt: START + 1000 }),
        cancels: ['never'],
      })
      await page.settle()
      expect(count('tasks/cancel')).toBe(times)
      expect(state()).toMatchObject({ phase: 'working', isCancelling: true })
    },
  )

  it('can be cancelled', async () => {
    const { page, cancel, count, storage } = beginCall({ follows: recorded({ nextPollAt: START + 1000 }) })
    await page.settle()
    await cancel()
    expect(count('tasks/cancel')).toBe(1)
    expect(storage.record?.task?.isCancelling).toBe(true)
  })

  it('takes the place of the one that was followed, with nothing of it left', async () => {
    const { page, follow, polls, state, push, entry } = beginCall({
      polls: [{ ...asks, lastUpdatedAt: '2026-07-28T00:00:01Z' }, down(), 'never', completed({ taskId: 't2' })],
    })
    await page.advance(3500)
    expect(state()).toMatchObject({ phase: 'input_required' })
    follow(recorded({ taskId: 't2', nextPollAt: START + 5000 }))
    expect(state()).toMatchObject({ phase: 'working', task: { taskId: 't2' }, failureCount: 0 })
    expect(state().inputRequests).toEqual({})
    push(completed({ taskId: 't1' }))
    await page.advance(1000)
    expect(entry.call.stage).toBe('following')
    await page.advance(1000)
    expect(polls).toEqual([1000, 2000, 3000, 5000])
    expect(state()).toMatchObject({ phase: 'completed', task: { taskId: 't2' } })
  })

  it('does not take the place of one that has ended while the storage was asked for it', async () => {
    const { page, follow, state } = beginCall({
      follows: recorded({ nextPollAt: START + 1000 }),
      polls: [completed()],
    })
    await page.advance(2000)
    const before = state()
    follow(recorded({ taskId: 't2' }))
    expect(state()).toBe(before)
  })
})

it('a call that has ended without a task takes up none', async () => {
  const { page, follow, state, count } = beginCall({ call: RESULT })
  await page.settle()
  const before = state()
  follow(recorded({ isCancelling: true }))
  await page.settle()
  expect(state()).toBe(before)
  expect(count('tasks/cancel')).toBe(0)
})

describe('cancelling', () => {
  it('a task is asked for once, however often', async () => {
    const { page, cancel, count, state } = beginCall()
    await page.advance(1500)
    await Promise.all([cancel(), cancel()])
    await cancel()
    expect(count('tasks/cancel')).toBe(1)
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true })
  })

  it.each([
    ['without a response is given up, and sent again', 'never', 30_000],
    ['that the network cuts off is sent again', down(), 0],
    ['that the server is too busy for is sent again', new TaskRequestError('busy', { kind: 'http', status: 503 }), 0],
    [
      'that fails inside of the server is sent again',
      new TaskRequestError('oops', { kind: 'server', code: -32603 }),
      0,
    ],
  ] as const)('%s', async (_, first, afterMs) => {
    const { page, cancel, count, state, errors, storage } = beginCall({ cancels: [first, first, undefined] })
    await page.advance(1500)
    const cancelling = cancel()
    await page.advance(afterMs)
    expect(count('tasks/cancel')).toBe(1)
    expect(state().isCancelling).toBe(true)
    expect(storage.record?.task?.isCancelling).toBe(true)
    expect(errors).toHaveLength(1)
    await page.advance(2 * afterMs + 10_000)
    await cancelling
    expect(count('tasks/cancel')).toBe(3)
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true })
  })

  it('waits for the network where there is none', async () => {
    const { page, cancel, count } = beginCall()
    await page.advance(1500)
    await page.setOnline(false)
    const cancelling = cancel()
    await page.advance(60_000)
    expect(count('tasks/cancel')).toBe(0)
    await page.setOnline(true)
    await cancelling
    expect(count('tasks/cancel')).toBe(1)
  })

  it('is not over with the acknowledgement: polling goes on at its pace, and the server decides', async () => {
    const { page, cancel, polls, outcome, state } = beginCall({ polls: [working(), working(), cancelled] })
    await page.advance(1500)
    await cancel()
    expect(outcome).toEqual({})
    expect(polls).toEqual([1000])
    await page.advance(1000)
    expect(state()).toMatchObject({ phase: 'working', isCancelling: true })
    await page.advance(1000)
    expect(polls).toEqual([1000, 2000, 3000])
    expect(outcome.error).toBeInstanceOf(TaskCancelledError)
    expect(state()).toMatchObject({ phase: 'cancelled', isCancelling: false })
  })

  it('a task that completes anyway resolves', async () => {
    const { page, cancel, outcome, state } = beginCall({ polls: [working(), completed()] })
    await page.advance(1500)
    await cancel()
    await page.advance(1000)
    expect(outcome.result).toBe(RESULT)
    expect(state()).toMatchObject({ phase: 'completed', isCancelling: false })
  })

  it('is recorded and posted before it is sent, so that it survives a reload', async () => {
    const { page, cancel, storage, posted, count } = beginCall({ cancels: ['never'] })
    await page.advance(1500)
    void cancel().catch(() => {})
    expect(count('tasks/cancel')).toBe(0)
    expect(storage.record?.task?.isCancelling).toBe(true)
    expect(posted.at(-1)).toEqual({ type: 'cancelling', isCancelling: true })
  })

  it('that the server refuses says so, is taken back, and can be repeated', async () => {
    const refusal = new TaskRequestError('no', { kind: 'server', code: -32602 })
    const { page, cancel, count, state, storage, posted } = beginCall({ cancels: [refusal, undefined] })
    await page.advance(1500)
    await expect(cancel()).rejects.toThrow('no')
    expect(state()).toMatchObject({ isCancelling: false, lastError: { message: 'no' } })
    expect(storage.record?.task?.isCancelling).toBe(false)
    expect(posted.at(-1)).toEqual({ type: 'cancelling', isCancelling: false })
    await cancel()
    expect(count('tasks/cancel')).toBe(2)
    expect(state().isCancelling).toBe(true)
  })

  it('after the end does nothing', async () => {
    const { page, cancel, count } = beginCall({ polls: [completed()] })
    await page.advance(1000)
    await cancel()
    expect(count('tasks/cancel')).toBe(0)
  })

  it('that is under way when the call is left stays recorded: the server may have received it', async () => {
    const { page, cancel, leave, storage, written } = beginCall({ cancels: ['never'] })
    await page.advance(1500)
    const cancelling = cancel()
    cancelling.catch(() => {})
    await page.settle()
    const count = written.length
    const reason = new Error('closed')
    leave(reason)
    await expect(cancelling).rejects.toBe(reason)
    expect(storage.record?.task?.isCancelling).toBe(true)
    expect(written).toHaveLength(count)
    expect(page.pendingTimers()).toBe(0)
  })

  it('that fails when the task is gone does not bring its record back', async () => {
    const gone = new TaskExpiredError('unknown-task')
    const { page, cancel, leave, storage, outcome } = beginCall({ key: undefined, polls: [gone], cancels: ['never'] })
    await page.advance(500)
    cancel().catch(() => {})
    await page.advance(1000)
    expect(outcome.error).toBe(gone)
    expect(storage.record).toBeUndefined()
    leave(new Error('closed'))
    await page.settle()
    expect(storage.record).toBeUndefined()
  })

  it('that the server refuses for a task whose call was made anew leaves the new task alone', async () => {
    const refusal = new TaskRequestError('no', { kind: 'server', code: -32602 })
    const { page, cancel, follow, count, state, storage } = beginCall({
      cancels: ['never', undefined, refusal],
      polls: ['never'],
    })
    await page.advance(500)
    const cancelling = cancel()
    cancelling.catch(() => {})
    await page.settle()
    follow(recorded({ taskId: 't2', nextPollAt: START + 100_000 }))
    await cancel()
    expect(state()).toMatchObject({ task: { taskId: 't2' }, isCancelling: true })
    // The first one is given up after 30 s, and refused when it is sent again.
    await page.advance(60_000)
    expect(count('tasks/cancel')).toBe(3)
    await cancel()
    expect(count('tasks/cancel')).toBe(3)
    expect(state()).toMatchObject({ task: { taskId: 't2' }, isCancelling: true })
    expect(storage.record?.task).toMatchObject({ taskId: 't2', isCancelling: true })
  })

  it('in another tab is shown and recorded in this one, where the tabs share no storage', async () => {
    const { page, receive, state, storage, written } = beginCall()
    await page.advance(1300)
    receive({ type: 'cancelling', isCancelling: true })
    await page.settle()
    expect(state().isCancelling).toBe(true)
    expect(storage.record?.task?.isCancelling).toBe(true)
    const count = written.length
    receive({ type: 'cancelling', isCancelling: true })
    await page.settle()
    expect(written).toHaveLength(count)
    receive({ type: 'cancelling', isCancelling: false })
    expect(state().isCancelling).toBe(false)
  })

  it('in another tab counts for the task it was for: the call may have been made anew since', async () => {
    const { page, receive, state } = beginCall()
    await page.advance(1300)
    receive({ type: 'cancelling', isCancelling: true }, 'earlier')
    expect(state().isCancelling).toBe(false)
  })
})

describe('a task that is stuck', () => {
  it('is cancelled once, and ends the call', async () => {
    const { page, polls, count, outcome } = beginCall({
      follows: recorded({ answered: ['q1'] }),
      polls: [asks],
      rules: { stuckAfterPolls: 3 },
    })
    await page.advance(60_000)
    expect(polls).toHaveLength(3)
    expect(count('tasks/cancel')).toBe(1)
    expect(outcome.error).toBeInstanceOf(TaskStuckError)
    expect(page.pendingTimers()).toBe(0)
  })
})

describe('a call that is followed only while somebody observes it', () => {
  const lazy = { followsUnobserved: false }

  it('is not polled before somebody observes it', async () => {
    const { page, runtime, entry, polls, nextPollIn } = beginCall(lazy)
    await page.advance(10_000)
    expect(polls).toEqual([])
    expect(nextPollIn()).toBeUndefined()
    expect(page.pendingTimers()).toBe(0)
    runtime.observe(entry)
    await page.settle()
    expect(polls).toEqual([10_000])
  })

  it('is not polled before somebody observes it where a record names its task', async () => {
    const { page, runtime, entry, polls } = beginCall({ ...lazy, follows: recorded({ nextPollAt: START + 1000 }) })
    await page.advance(10_000)
    expect(polls).toEqual([])
    expect(page.pendingTimers()).toBe(0)
    runtime.observe(entry)
    await page.settle()
    expect(polls).toEqual([10_000])
  })

  it('is polled at its pace while observed, by however many', async () => {
    const { page, runtime, entry, polls } = beginCall(lazy)
    runtime.observe(entry)
    runtime.observe(entry)
    await page.advance(3500)
    expect(polls).toEqual([1000, 2000, 3000])
  })

  it('rests a tick after the last observer has left, and not before', async () => {
    const { page, runtime, entry, polls } = beginCall(lazy)
    const [first, second] = [runtime.observe(entry), runtime.observe(entry)]
    await page.advance(1500)
    first()
    await page.advance(1000)
    expect(polls).toEqual([1000, 2000])
    second()
    await page.advance(60_000)
    expect(polls).toEqual([1000, 2000])
    expect(page.pendingTimers()).toBe(0)
  })

  it('goes on where one observer leaves twice', async () => {
    const { page, runtime, entry, polls } = beginCall(lazy)
    const leave = runtime.observe(entry)
    runtime.observe(entry)
    leave()
    leave()
    await page.advance(1500)
    leave()
    await page.advance(1000)
    expect(polls).toEqual([1000, 2000])
  })

  it('goes on where an observer leaves and comes back in the same turn, as StrictMode does', async () => {
    const { page, runtime, entry, polls } = beginCall({ ...lazy, polls: ['never'] })
    const leave = runtime.observe(entry)
    await page.advance(1200)
    leave()
    runtime.observe(entry)
    await page.advance(5000)
    // The poll that was under way was not cut off.
    expect(polls).toEqual([1000])
  })

  it('goes on without polling early', async () => {
    const { page, runtime, entry, polls } = beginCall(lazy)
    const leave = runtime.observe(entry)
    await page.advance(1100)
    leave()
    await page.advance(100)
    runtime.observe(entry)
    await page.advance(799)
    expect(polls).toEqual([1000])
    await page.advance(1)
    expect(polls).toEqual([1000, 2000])
  })

  it('goes on without polling early after a poll that was cut off', async () => {
    const { page, runtime, entry, polls } = beginCall({ ...lazy, polls: ['never', working()] })
    const leave = runtime.observe(entry)
    await page.advance(1100)
    leave()
    await page.advance(100)
    runtime.observe(entry)
    await page.advance(799)
    expect(polls).toEqual([1000])
    await page.advance(200)
    expect(polls).toHaveLength(2)
  })

  it('goes on at once where the poll is long due', async () => {
    const { page, runtime, entry, polls } = beginCall(lazy)
    const leave = runtime.observe(entry)
    await page.advance(1500)
    leave()
    await page.advance(60_000)
    runtime.observe(entry)
    await page.settle()
    expect(polls).toEqual([1000, 61_500])
  })

  it('is none of those that this tab polls, until somebody does', async () => {
    const { page, runtime, entry } = beginCall(lazy)
    await page.settle()
    expect(runtime.polledTaskIds()).toEqual([])
    runtime.observe(entry)
    expect(runtime.polledTaskIds()).toEqual(['t1'])
  })

  it('is made all the same: only following can wait', async () => {
    const { page, outcome } = beginCall({ ...lazy, call: RESULT })
    await page.settle()
    expect(outcome.result).toBe(RESULT)
  })

  it('is polled at its pace however often observers come, also where there are other tabs', async () => {
    const { leadership } = stubLeadership(true)
    const { page, runtime, entry, polls } = beginCall({
      ...lazy,
      tabs: tabsOf(leadership),
    })
    runtime.observe(entry)
    for (let time = 0; time < 3500; time += 50) {
      await page.advance(50)
      runtime.observe(entry)()
    }
    expect(polls).toEqual([1000, 2000, 3000])
  })
})

describe('where another tab leads', () => {
  function follow(options: Parameters<typeof beginCall>[0] = {}) {
    const { leadership, log: election, set } = stubLeadership(false)
    const tabs = { ...tabsOf(leadership), ...options.tabs }
    const call = beginCall({ follows: recorded({ nextPollAt: START + 5000 }), ...options, tabs })
    return { ...call, election, setLeader: set }
  }
  const snapshot = (task: DetailedTask, nextPollIn: number) =>
    ({ type: 'snapshot', task, nextPollAt: START + nextPollIn }) as const

  it('a call joins the election, and asks the other tabs what they know', async () => {
    const asked: string[] = []
    const { page, election, leave } = follow({ tabs: { postSyncRequest: (taskId) => void asked.push(taskId) } })
    await page.settle()
    expect(election).toEqual(['join'])
    expect(asked).toEqual(['t1'])
    leave(new Error('closed'))
    // Its last message is on its way to the tab that leads next.
    expect(election).toEqual(['join'])
    await page.advance(MESSAGE_DELAY_MS)
    expect(election).toEqual(['join', 'leave'])
  })

  it('a task is not polled when it is due, and this tab takes over when that is long overdue', async () => {
    const { page, election, polls } = follow()
    await page.advance(5000 + LEADER_TIMEOUT_MS - 1)
    expect(election).not.toContain('take')
    await page.advance(1)
    expect(election).toEqual(['join', 'take'])
    expect(polls).toEqual([])
  })

  it('a tab whose timer comes late listens first, but once only: the timers of a throttled tab always do', async () => {
    const { page, election } = follow()
    await page.settle()
    page.sleep(60_000)
    await page.advance(0)
    expect(election).toEqual(['join'])
    page.sleep(60_000)
    await page.advance(0)
    expect(election).toEqual(['join', 'take'])
  })

  it('a tab that was paused while it was hidden takes over at once when it is looked at, where that is long overdue', async () => {
    const { page, election } = follow({ policy: { hidden: 'pause' } })
    await page.setVisible(false)
    await page.advance(5000 + LEADER_TIMEOUT_MS)
    expect(election).toEqual(['join'])
    await page.setVisible(true)
    expect(election).toEqual(['join', 'take'])
  })

  it('a poll that the other tab says is under way is waited for', async () => {
    const { page, election, receive } = follow()
    await page.advance(5000)
    receive({ type: 'polling', until: START + 10_000 })
    await page.advance(5000 + LEADER_TIMEOUT_MS - 1)
    expect(election).toEqual(['join'])
    await page.advance(1)
    expect(election).toEqual(['join', 'take'])
  })

  it('the snapshots of that tab are shown, and put the next poll off', async () => {
    const { page, receive, state, nextPollIn, election } = follow()
    await page.advance(2000)
    receive(snapshot(working({ statusMessage: 'half way', lastUpdatedAt: '2026-07-28T00:00:02Z' }), 9000))
    expect(state().task?.statusMessage).toBe('half way')
    expect(nextPollIn()).toBe(9000)
    await page.advance(7000 + LEADER_TIMEOUT_MS - 1)
    expect(election).toEqual(['join'])
    await page.advance(1)
    expect(election).toEqual(['join', 'take'])
  })

  it('a message of that tab never brings the next poll forward', async () => {
    const { page, receive, polls, setLeader, nextPollIn } = follow()
    receive(snapshot(working(), 100))
    receive({ type: 'poll-aborted', nextPollAt: START + 100 })
    const failure = { error: down(), failureCount: 1, network: 'retrying' as const }
    receive({ type: 'poll-failed', ...failure, earliestAt: START + 100, nextPollAt: START + 200 })
    expect(nextPollIn()).toBe(5000)
    setLeader(true)
    await page.advance(4999)
    expect(polls).toEqual([])
    await page.advance(1)
    expect(polls).toEqual([5000])
  })

  it('a response that another tab had to the call itself puts the next poll off, and never forward', async () => {
    const { receive, nextPollIn } = follow()
    receive({ type: 'asked', nextPollAt: START + 100 })
    expect(nextPollIn()).toBe(5000)
    receive({ type: 'asked', nextPollAt: START + 7000 })
    expect(nextPollIn()).toBe(7000)
  })

  it('a failure of its polls is shown here, and its Retry-After kept here, too', async () => {
    const { page, receive, state, setLeader, polls } = follow()
    const failure = { error: down(), failureCount: 3, network: 'retrying' as const }
    receive({ type: 'poll-failed', ...failure, earliestAt: START + 7000, nextPollAt: START + 8000 })
    expect(state()).toMatchObject({ network: 'retrying', failureCount: 3, lastError: { message: 'down' } })
    setLeader(true)
    await page.advance(8000)
    expect(polls).toEqual([8000])
  })

  it('what ends the task there ends it here', async () => {
    const ended = follow()
    ended.receive({ type: 'ended', error: new TaskExpiredError('unknown-task') })
    await ended.page.settle()
    expect(ended.outcome.error).toBeInstanceOf(TaskExpiredError)

    const done = follow()
    done.receive(snapshot(completed(), 0))
    await done.page.settle()
    expect(done.outcome.result).toEqual(RESULT)
    expect(done.polls).toEqual([])
    await done.page.advance(MESSAGE_DELAY_MS)
    expect(done.page.pendingTimers()).toBe(0)
  })

  it('a task is none of those that this tab polls, until this tab comes to lead', async () => {
    const { page, runtime, setLeader } = follow()
    await page.settle()
    expect(runtime.polledTaskIds()).toEqual([])
    setLeader(true)
    expect(runtime.polledTaskIds()).toEqual(['t1'])
  })

  it('a tab that comes to lead polls when the task is due, and no sooner', async () => {
    const { page, polls, setLeader } = follow()
    await page.advance(2000)
    setLeader(true)
    await page.advance(2999)
    expect(polls).toEqual([])
    await page.advance(1)
    expect(polls).toEqual([5000])
  })

  it('a tab that becomes the leader reads when the task may be polled: it may have received no message', async () => {
    const { page, polls, storage, setLeader } = follow()
    await page.advance(2000)
    storage.record = recorded({ nextPollAt: START + 8000 })
    setLeader(true)
    await page.advance(5999)
    expect(polls).toEqual([])
    await page.advance(1)
    expect(polls).toEqual([8000])
  })

  it('a tab that comes to lead where the task was pushed polls as soon as the server allows', async () => {
    const { page, polls, receive, setLeader } = follow()
    await page.advance(2000)
    receive(snapshot(working({ lastUpdatedAt: '2026-07-28T00:00:02Z' }), 32_000))
    await page.advance(1000)
    setLeader(true)
    await page.advance(2000)
    expect(polls).toEqual([5000])
  })

  it('a tab that steals the lead waits for the poll that the other one may have under way, a gone one polls no more', async () => {
    const taken = follow()
    await taken.page.advance(5000)
    taken.receive({ type: 'polling', until: START + 10_000 })
    taken.setLeader(true, true)
    await taken.page.advance(4999)
    expect(taken.polls).toEqual([])
    await taken.page.advance(1)
    expect(taken.polls).toEqual([10_000])

    const passedOn = follow()
    await passedOn.page.advance(5000)
    passedOn.receive({ type: 'polling', until: START + 10_000 })
    passedOn.setLeader(true)
    await passedOn.page.advance(1000)
    // One interval after the poll that was cut off.
    expect(passedOn.polls).toEqual([6000])
  })

  it('a tab that ceases to lead while its poll waits for the connection does not send it', async () => {
    const { page, polls, setLeader, receive } = follow()
    await page.advance(2000)
    setLeader(true)
    await page.advance(2900)
    setLeader(false)
    await page.advance(200)
    expect(polls).toEqual([])
    receive(snapshot(completed(), 0))
    await page.settle()
  })

  it('a tab that has just come listens before it polls, although it leads and the task is due', async () => {
    const { leadership } = stubLeadership(true)
    const { page, polls, receive } = beginCall({
      follows: recorded(),
      tabs: tabsOf(leadership),
    })
    await page.advance(MESSAGE_DELAY_MS - 1)
    expect(polls).toEqual([])
    receive({ type: 'polling', until: START + 600 })
    await page.advance(500)
    expect(polls).toEqual([])
    await page.advance(1000)
    expect(polls).toEqual([MESSAGE_DELAY_MS - 1 + 1000])
  })

  it('a call that follows another task instead leaves it to the tab that leads that one', async () => {
    const [own, theirs] = [stubLeadership(true), stubLeadership(false)]
    const { page, polls, follow } = beginCall({
      follows: recorded({ nextPollAt: START + 1000 }),
      tabs: {
        ...tabsOf(own.leadership),
        isLeader: () => false,
        leadershipOf: (taskId) => (taskId === 't1' ? own : theirs).leadership,
      },
    })
    await page.advance(1500)
    expect(polls).toEqual([1000])
    follow(recorded({ taskId: 't2', nextPollAt: START + 2500 }))
    await page.advance(1000 + LEADER_TIMEOUT_MS - 1)
    expect(polls).toEqual([1000])
    theirs.set(true, true)
    await page.settle()
    expect(polls).toEqual([1000, 1500 + 1000 + LEADER_TIMEOUT_MS - 1])
  })

  it('a call that follows a task whose election this page has won polls it', async () => {
    const [own, won] = [stubLeadership(false), stubLeadership(true)]
    const { page, polls, follow } = beginCall({
      follows: recorded(),
      tabs: {
        ...tabsOf(own.leadership),
        leadershipOf: (taskId) => (taskId === 't1' ? own : won).leadership,
      },
    })
    await page.advance(500)
    follow(recorded({ taskId: 't2', nextPollAt: START + 2500 }))
    await page.advance(2000)
    expect(polls).toEqual([2500])
  })

  it('a task that this tab has made is polled without asking first', async () => {
    const { leadership } = stubLeadership(true)
    const { page, polls } = beginCall({ tabs: tabsOf(leadership) })
    await page.advance(1000)
    expect(polls).toEqual([1000])
  })

  it('a tab says that it polls, again and again while it does, and what came of it', async () => {
    const { leadership } = stubLeadership(true)
    const { page, posted } = beginCall({ latencyMs: 6000, tabs: tabsOf(leadership) })
    await page.advance(7000)
    expect(posted).toEqual([
      { type: 'polling', until: START + 6000 },
      { type: 'polling', until: START + 8500 },
      { type: 'polling', until: START + 11_000 },
      { type: 'snapshot', task: working(), nextPollAt: START + 8000, askedAt: START + 1000 },
    ])
    expect(page.pendingTimers()).toBe(1)
  })

  it('a page that comes back says when the server wants to be asked next, as long as that is to come', async () => {
    const { leadership } = stubLeadership(true)
    const call = beginCall({
      polls: [working({ pollIntervalMs: 5000 })],
      tabs: tabsOf(leadership),
    })
    const { page, posted } = call
    await page.advance(1500)
    await page.hidePage()
    posted.splice(0)
    await page.showPage()
    expect(posted).toEqual([{ type: 'poll-aborted', nextPollAt: START + 6000 }])
    await page.hidePage()
    page.sleep(10_000)
    posted.splice(0)
    await page.showPage()
    expect(posted.filter(({ type }) => type === 'poll-aborted')).toEqual([])
  })
})

describe('a runtime', () => {
  it('that is closed polls no more, has no timer and ends the push stream', async () => {
    const close = vi.fn()
    const { page, runtime, polls } = beginCall({ push: { close } })
    await page.advance(500)
    expect(close).not.toHaveBeenCalled()
    runtime.close()
    expect(page.pendingTimers()).toBe(0)
    expect(close).toHaveBeenCalledOnce()
    await page.advance(60_000)
    expect(polls).toEqual([])
  })

  it('tells who observes it of each event, what it has made of the call, and when', async () => {
    const changes: CallChange[] = []
    const { page, entry } = beginCall({
      polls: [completed()],
      tap: { onChange: (change) => void changes.push(change) },
    })
    await page.advance(1000)
    expect(changes.map(({ event, at }) => [event.type, at.now - START])).toEqual([
      ['sending', 0],
      ['created', 0],
      ['recorded', 0],
      ['wake', 1000],
      ['poll-sent', 1000],
      ['message', 1000],
      ['recorded', 1000],
      ['settled', 1000],
    ])
    const [, created, recorded] = changes
    expect(created).toMatchObject({ before: { stage: 'calling' }, after: { stage: 'following' } })
    expect(created?.effects).toEqual([{ type: 'record' }])
    expect(recorded?.before).toBe(created?.after)
    expect(changes.at(-1)?.after).toBe(entry.call)
  })
})

describe('a storage that throws on every call', () => {
  it('[DUR-66] harms nothing but the memory of a reload', async () => {
    const throwing = (): never => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    const errors: TaskStorageError[] = []
    const records = createRecordStore({
      storage: { getItem: throwing, setItem: throwing, removeItem: throwing, keys: throwing },
      endpoint: '',
      scope: '',
      now: () => START,
      pause: () => Promise.resolve(),
      onError: (error) => errors.push(error),
    })
    const { page, respond, cancel, outcome, polls } = beginCall({ records, polls: [asks, working(), completed()] })
    await page.advance(1500)
    await respond('q1', { roots: [] })
    await cancel()
    await page.hidePage()
    await page.advance(10_000)
    expect(outcome.result).toBe(RESULT)
    expect(polls).toEqual([1000, 2000, 3000])
    expect(errors.length).toBeGreaterThan(3)
  })
})

function bare({ pollIntervalMs: _, ...task }: Task): Task {
  return task
}
