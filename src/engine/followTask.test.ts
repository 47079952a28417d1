import { describe, expect, it } from 'vitest'
import { TaskExpiredError, TaskProtocolError, TaskRequestError, TaskUnreachableError } from '../protocol/errors.js'
import type { DetailedTask, Task } from '../protocol/task.js'
import { createSimulatedEnvironment } from '../testing/simulatedEnvironment.js'
import { type FollowEvent, followTask } from './followTask.js'
import { DEFAULT_POLL_POLICY, type PollPolicy } from './pollPolicy.js'
import { NO_PUSH } from './pushLink.js'
import { ALONE } from './tabLink.js'

const BASE: Task = {
  taskId: 't1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: null,
  pollIntervalMs: 1000,
}

type Answer = DetailedTask | Error | 'never'

const working = (changes: Partial<Task> = {}): DetailedTask => ({ ...BASE, ...changes, status: 'working' })
const completed = (changes: Partial<Task> = {}): DetailedTask => ({
  ...BASE,
  ...changes,
  status: 'completed',
  result: { content: [] },
})
const network = () => new TaskRequestError('down', { kind: 'network' })

interface FollowTestOptions {
  task?: Task
  firstPollIn?: number
  policy?: Partial<PollPolicy>
  /** How long the server takes for an answer. */
  latencyMs?: number
}

function follow(answers: Answer[], options: FollowTestOptions = {}) {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const polls: number[] = []
  const events: FollowEvent[] = []
  const abort = new AbortController()
  let push: (task: DetailedTask) => void = () => {}
  const outcome = followTask({
    taskId: 't1',
    task: options.task ?? BASE,
    firstPollAt: start + (options.firstPollIn ?? 1000),
    receivedAt: start,
    environment: page.environment,
    link: ALONE,
    push: {
      ...NO_PUSH,
      onTask: (listener) => {
        push = listener
        return () => {}
      },
    },
    policy: { ...DEFAULT_POLL_POLICY, ...options.policy },
    signal: abort.signal,
    onEvent: (event) => events.push(event),
    port: {
      getTask: (_taskId, signal) => {
        polls.push(page.now() - start)
        const answer = answers.length > 1 ? answers.shift() : answers[0]
        if (answer instanceof Error) return Promise.reject(answer)
        if (answer !== 'never' && answer !== undefined) {
          return new Promise((resolve) => page.environment.setTimeout(() => resolve(answer), options.latencyMs ?? 0))
        }
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      },
    },
  })
  outcome.catch(() => {})
  return { page, polls, events, outcome, abort, push: (task: DetailedTask) => push(task) }
}

describe('followTask', () => {
  it('polls first at the given time and then one interval after each answer', async () => {
    const { page, polls, outcome } = follow([working(), working(), completed()])
    await page.advance(999)
    expect(polls).toEqual([])
    await page.advance(10_000)
    expect(polls).toEqual([1000, 2000, 3000])
    await expect(outcome).resolves.toMatchObject({ status: 'completed' })
  })

  it('reads the interval from every snapshot', async () => {
    const { page, polls } = follow([working({ pollIntervalMs: 5000 }), working({ pollIntervalMs: 200 }), completed()])
    await page.advance(20_000)
    expect(polls).toEqual([1000, 6000, 6200])
  })

  it('counts the interval from the answer, not from the request', async () => {
    const page = createSimulatedEnvironment()
    const polls: number[] = []
    const start = page.now()
    void followTask({
      taskId: 't1',
      task: BASE,
      firstPollAt: start,
      receivedAt: start,
      environment: page.environment,
      link: ALONE,
      push: NO_PUSH,
      policy: DEFAULT_POLL_POLICY,
      signal: new AbortController().signal,
      onEvent: () => {},
      port: {
        getTask: () => {
          polls.push(page.now() - start)
          return new Promise((resolve) => page.environment.setTimeout(() => resolve(working()), 300))
        },
      },
    })
    await page.advance(3000)
    expect(polls).toEqual([0, 1300, 2600])
  })

  it.each([
    [0, 50],
    [undefined, 1000],
    [20, 50],
    [1500.5, 1500.5],
  ])('an interval of %s polls every %s ms', async (pollIntervalMs, expected) => {
    const task = { ...BASE } as { pollIntervalMs?: number } & Task
    if (pollIntervalMs === undefined) delete task.pollIntervalMs
    else task.pollIntervalMs = pollIntervalMs
    const { page, polls } = follow([{ ...task, status: 'working' }], { task, firstPollIn: 0 })
    await page.advance(expected * 2)
    expect(polls).toEqual([0, expected, expected * 2])
  })

  it('an interval longer than any timer is no hot loop', async () => {
    const { page, polls } = follow([working({ pollIntervalMs: 1e12 })], { firstPollIn: 0 })
    await page.advance(60 * 60_000)
    expect(polls).toEqual([0])
  })

  it('stops after a terminal status', async () => {
    const { page, polls } = follow([completed()])
    await page.advance(100_000)
    expect(polls).toHaveLength(1)
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  it('ends with the reason when the signal aborts, also in the middle of a poll', async () => {
    const { page, polls, outcome, abort } = follow(['never'])
    await page.advance(1500)
    const reason = new Error('enough')
    abort.abort(reason)
    await expect(outcome).rejects.toBe(reason)
    await page.advance(100_000)
    expect(polls).toEqual([1000])
    expect(page.pendingTimers()).toBe(0)
    expect(page.listeners()).toBe(0)
  })

  describe('trouble', () => {
    it('backs off with full jitter, and never below the interval', async () => {
      const { page, polls, events } = follow([network(), network(), network(), network(), network(), completed()])
      await page.advance(60_000)
      // Half of 500, 1000, 2000, 4000 and 8000 ms; the interval of 1000 ms is the floor.
      expect(polls).toEqual([1000, 2000, 3000, 4000, 6000, 10_000])
      expect(events.filter((event) => event.type === 'poll-failed').map((event) => event.failureCount)).toEqual([
        1, 2, 3, 4, 5,
      ])
    })

    it('honours Retry-After where it is the longest', async () => {
      const busy = new TaskRequestError('busy', { kind: 'http', retryAfterMs: 7000 })
      const { page, polls } = follow([busy, completed()])
      await page.advance(60_000)
      expect(polls).toEqual([1000, 8000])
    })

    it('starts the backoff over after an answer', async () => {
      const { page, polls } = follow([network(), network(), network(), network(), working(), network(), completed()])
      await page.advance(60_000)
      expect(polls).toEqual([1000, 2000, 3000, 4000, 6000, 7000, 8000])
    })

    it('gives a poll without an answer up and goes on', async () => {
      const { page, polls, events } = follow(['never', completed()])
      await page.advance(40_000)
      expect(polls).toEqual([1000, 32_000])
      expect(events).toContainEqual(expect.objectContaining({ type: 'poll-failed', network: 'retrying' }))
    })

    it('gives up after maxAttempts, with the last failure as cause', async () => {
      const { page, polls, outcome } = follow([network()], { policy: { maxAttempts: 3 } })
      await page.advance(60_000)
      await expect(outcome).rejects.toThrow(TaskUnreachableError)
      await expect(outcome).rejects.toMatchObject({ cause: expect.any(TaskRequestError) })
      expect(polls).toHaveLength(3)
    })

    it('waits for credentials as paused, and asks again', async () => {
      const { page, events, outcome } = follow([new TaskRequestError('who?', { kind: 'auth' }), completed()])
      await page.advance(60_000)
      expect(events).toContainEqual(expect.objectContaining({ type: 'poll-failed', network: 'paused' }))
      await expect(outcome).resolves.toMatchObject({ status: 'completed' })
    })

    it('takes one bad answer among good ones for a passing fault', async () => {
      const bad = new TaskProtocolError('nonsense', { source: 'tasks/get' })
      const { page, outcome } = follow([bad, bad, working(), bad, bad, completed()])
      await page.advance(60_000)
      await expect(outcome).resolves.toMatchObject({ status: 'completed' })
    })

    it('gives up after three bad answers in a row', async () => {
      const bad = new TaskProtocolError('nonsense', { source: 'tasks/get' })
      const { page, polls, outcome } = follow([bad])
      await page.advance(60_000)
      await expect(outcome).rejects.toBe(bad)
      expect(polls).toHaveLength(3)
    })

    it('refuses an answer about another task', async () => {
      const { page, outcome } = follow([working({ taskId: 'other' })])
      await page.advance(60_000)
      await expect(outcome).rejects.toThrow(TaskProtocolError)
    })

    it('ends at once where the server does not know the task', async () => {
      const gone = new TaskExpiredError('unknown-task')
      const { page, polls, outcome } = follow([gone])
      await page.advance(60_000)
      await expect(outcome).rejects.toBe(gone)
      expect(polls).toHaveLength(1)
    })
  })

  describe('ttl', () => {
    it('ends with the first poll past the ttl that finds the task unfinished', async () => {
      const { page, polls, outcome } = follow([working({ ttlMs: 2500 })])
      await page.advance(60_000)
      await expect(outcome).rejects.toMatchObject({ name: 'TaskExpiredError', reason: 'ttl' })
      expect(polls).toEqual([1000, 2000, 3000])
    })

    it('delivers what that poll finds finished', async () => {
      const { page, outcome } = follow([working({ ttlMs: 1500 }), completed({ ttlMs: 1500 })])
      await page.advance(60_000)
      await expect(outcome).resolves.toMatchObject({ status: 'completed' })
    })

    it('follows a ttl that changes', async () => {
      const { page, outcome } = follow([
        working({ ttlMs: 1500 }),
        working({ ttlMs: 60_000 }),
        working({ ttlMs: 60_000 }),
        completed(),
      ])
      await page.advance(60_000)
      await expect(outcome).resolves.toMatchObject({ status: 'completed' })
    })

    it('bounds a server that cannot be reached', async () => {
      const { page, outcome } = follow([network()], { task: { ...BASE, ttlMs: 20_000 } })
      await page.advance(120_000)
      await expect(outcome).rejects.toMatchObject({ reason: 'ttl', cause: expect.any(TaskRequestError) })
    })
  })

  describe('a push', () => {
    it('that comes while a poll is under way counts as soon as that is over', async () => {
      const { page, outcome, push } = follow([working({ pollIntervalMs: 60_000 })], { latencyMs: 500 })
      await page.advance(1200)
      push(completed({ lastUpdatedAt: '2026-07-28T00:00:09Z' }))
      await page.advance(300)
      await expect(outcome).resolves.toMatchObject({ status: 'completed' })
    })

    it('counts although another came in the same moment', async () => {
      const { page, outcome, push } = follow([working()], { firstPollIn: 60_000 })
      await page.settle()
      push(working({ lastUpdatedAt: '2026-07-28T00:00:01Z', pollIntervalMs: 60_000 }))
      push(completed({ lastUpdatedAt: '2026-07-28T00:00:02Z' }))
      await page.settle()
      await expect(outcome).resolves.toMatchObject({ status: 'completed' })
    })

    it('that is out of date changes nothing, the schedule included', async () => {
      const latest = working({ lastUpdatedAt: '2026-07-28T00:00:05Z', pollIntervalMs: 60_000 })
      const { page, polls, events, push } = follow([latest])
      await page.advance(1000)
      const before = events.length
      push(working({ lastUpdatedAt: '2026-07-28T00:00:00Z', pollIntervalMs: 1000 }))
      await page.advance(30_000)
      expect(polls).toEqual([1000])
      expect(events.slice(before).filter(({ type }) => type === 'snapshot')).toEqual([])
    })
  })

  describe('page life', () => {
    it('pauses offline and polls at once, with jitter, when back online, if it is due', async () => {
      const { page, polls, events } = follow([working(), completed()])
      await page.advance(1500)
      await page.setOnline(false)
      await page.advance(10_000)
      expect(polls).toEqual([1000])
      expect(events.at(-1)).toEqual({ type: 'blocked', network: 'offline' })
      await page.setOnline(true)
      // Half of 200 ms: nobody comes back in the same moment as everybody else.
      await page.advance(100)
      expect(polls).toEqual([1000, 11_600])
    })

    it('says that it is offline only while it is', async () => {
      const busy = new TaskRequestError('busy', { kind: 'http', retryAfterMs: 60_000 })
      const { page, polls, events } = follow([busy, completed()])
      await page.advance(1500)
      await page.setOnline(false)
      expect(events.at(-1)).toEqual({ type: 'blocked', network: 'offline' })
      await page.setOnline(true)
      expect(events.at(-1)).toEqual({ type: 'unblocked' })
      expect(polls).toEqual([1000])
    })

    it('does not poll early because the network is back', async () => {
      const { page, polls } = follow([working(), completed()])
      await page.advance(1500)
      await page.setOnline(false)
      await page.setOnline(true)
      expect(polls).toEqual([1000])
      await page.advance(500)
      expect(polls).toEqual([1000, 2000])
    })

    it('keeps to the interval of an answer that was out of date, too', async () => {
      const latest = working({ lastUpdatedAt: '2026-07-28T00:00:05Z' })
      const { page, polls } = follow([latest, working({ pollIntervalMs: 5000 }), completed()])
      await page.advance(2000)
      await page.setOnline(false)
      await page.setOnline(true)
      await page.advance(10_000)
      expect(polls).toEqual([1000, 2000, 7000])
    })

    it('cuts a backoff short when the network is back, down to what the server asked for', async () => {
      const down = Array.from({ length: 7 }, network)
      const { page, polls } = follow([...down, completed()])
      await page.advance(19_000)
      // The seventh failure, at 18 s, would wait 15 s.
      expect(polls.at(-1)).toBe(18_000)
      await page.setOnline(false)
      await page.advance(100)
      await page.setOnline(true)
      await page.advance(100)
      expect(polls.at(-1)).toBe(19_200)
    })

    it('goes on hidden by default, and pauses where asked to', async () => {
      const on = follow([working()])
      await on.page.setVisible(false)
      await on.page.advance(3000)
      expect(on.polls).toEqual([1000, 2000, 3000])

      const off = follow([working()], { policy: { hidden: 'pause' } })
      await off.page.setVisible(false)
      await off.page.advance(3000)
      expect(off.polls).toEqual([])
      await off.page.setVisible(true)
      expect(off.polls).toEqual([3000])
    })

    it('after a sleep polls once, at once, when the page is looked at', async () => {
      const { page, polls } = follow([working()])
      await page.advance(1500)
      page.sleep(60 * 60_000)
      await page.setVisible(true)
      expect(polls).toHaveLength(2)
      await page.advance(999)
      expect(polls).toHaveLength(2)
    })

    it('a clock set forward looks like time that has passed', async () => {
      const { page, polls } = follow([working()], { firstPollIn: 40_000 })
      await page.advance(1000)
      page.setClock(60 * 60_000)
      await page.setVisible(true)
      expect(polls).toEqual([1000 + 60 * 60_000])
    })

    it('a clock set back does not lengthen the wait', async () => {
      const { page, polls } = follow([working({ pollIntervalMs: 40_000 })], { firstPollIn: 40_000 })
      await page.advance(1000)
      page.sleep(-60 * 60_000)
      await page.setVisible(true)
      await page.advance(40_000)
      expect(polls).toHaveLength(1)
    })
  })
})
