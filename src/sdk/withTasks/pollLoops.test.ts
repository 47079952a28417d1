import { describe, expect, it, vi } from 'vitest'
import type { DetailedTask } from '../../core/protocol/task.js'
import { DEFAULT_POLL_POLICY } from '../../core/time/policy.js'
import { createSimulatedEnvironment } from '../../tools/testing/simulatedEnvironment.js'
import { createPollLoops } from './pollLoops.js'

const at = (second: number): string => new Date(Date.UTC(2026, 6, 28, 0, 0, second)).toISOString()

const snapshot = (more: object = {}): DetailedTask =>
  ({
    taskId: 't1',
    status: 'working',
    createdAt: at(0),
    lastUpdatedAt: at(0),
    ttlMs: null,
    pollIntervalMs: 1000,
    ...more,
  }) as DetailedTask
const done = snapshot({ status: 'completed', result: { content: [] } })

/** A server that answers each poll as told: with a snapshot, an error, or never. The last answer stays. */
function setUp(...answers: (DetailedTask | Error | 'never')[]) {
  const page = createSimulatedEnvironment()
  const start = page.now()
  const loops = createPollLoops({ environment: page.environment, policy: DEFAULT_POLL_POLICY })
  const polls: { at: number; signal: AbortSignal }[] = []
  const getTask = (signal: AbortSignal): Promise<DetailedTask> => {
    polls.push({ at: page.now() - start, signal })
    const answer = answers[polls.length - 1] ?? answers.at(-1) ?? 'never'
    if (answer instanceof Error) return Promise.reject(answer)
    if (answer !== 'never') return Promise.resolve(answer)
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  function follow(task: DetailedTask = snapshot()) {
    const controller = new AbortController()
    const seen: DetailedTask[] = []
    const outcome: { value?: unknown; error?: unknown } = {}
    const onSnapshot = (one: DetailedTask) => void seen.push(one)
    loops.follow(task, { signal: controller.signal, getTask, onSnapshot }).then(
      (value) => Object.assign(outcome, { value }),
      (error: unknown) => Object.assign(outcome, { error }),
    )
    return { controller, seen, outcome }
  }
  return { page, follow, polls, times: () => polls.map((poll) => poll.at) }
}

describe('the polls of one task', () => {
  it('are shared by all who follow it; who comes later has the latest snapshot at once', async () => {
    const { page, follow, times } = setUp(snapshot({ statusMessage: 'a' }), snapshot({ statusMessage: 'b' }), done)
    const first = follow()
    await page.advance(1000)
    const second = follow()
    expect(second.seen).toMatchObject([{ statusMessage: 'a' }])
    await page.advance(2000)
    expect(times()).toEqual([1000, 2000, 3000])
    expect(first.seen).toMatchObject([{ statusMessage: 'a' }, { statusMessage: 'b' }])
    expect(second.seen).toMatchObject([{ statusMessage: 'a' }, { statusMessage: 'b' }])
    expect([first.outcome, second.outcome]).toEqual([{ value: done }, { value: done }])
    expect(page.pendingTimers()).toBe(0)
  })

  it('begin anew once the task has ended', async () => {
    const { page, follow, times } = setUp(done)
    follow()
    await page.advance(1000)
    const again = follow(done)
    await page.advance(0)
    expect(times()).toEqual([1000, 1000])
    expect(again.outcome).toEqual({ value: done })
  })

  it('go on when one of two followers leaves, and end with the last', async () => {
    const { page, follow, polls, times } = setUp(snapshot(), 'never')
    const [first, second] = [follow(), follow()]
    const reason = new Error('enough')
    first.controller.abort(reason)
    await page.advance(2000)
    expect(first.outcome.error).toBe(reason)
    expect(times()).toEqual([1000, 2000])
    expect(second.seen).toHaveLength(1)
    expect(first.seen).toHaveLength(0)
    second.controller.abort(reason)
    await page.advance(10_000)
    expect(polls.map(({ signal }) => signal.aborted)).toEqual([false, true])
    expect(page.pendingTimers()).toBe(0)
  })

  it('are made once where somebody comes as the last one leaves', async () => {
    const { page, follow, times } = setUp(snapshot())
    follow().controller.abort(new Error('enough'))
    const second = follow()
    await page.advance(0)
    const third = follow()
    await page.advance(1000)
    expect(times()).toEqual([1000])
    expect([second.seen.length, third.seen.length]).toEqual([1, 1])
  })

  it('listen to the signal of nobody who has an answer', async () => {
    const { page, follow } = setUp(done)
    const { controller } = follow()
    const stopListening = vi.spyOn(controller.signal, 'removeEventListener')
    await page.advance(1000)
    expect(stopListening).toHaveBeenCalled()
  })

  it('that were given up before end at once', async () => {
    const { page, follow, times } = setUp(snapshot())
    const { controller } = follow()
    controller.abort(new Error('enough'))
    await page.advance(10_000)
    expect(times()).toEqual([])
    expect(page.pendingTimers()).toBe(0)
  })

  it('wait for an interval where the page was hidden during one', async () => {
    const { page, follow, polls, times } = setUp('never', done)
    const { outcome } = follow()
    await page.advance(1500)
    await page.hidePage()
    expect(polls[0]?.signal.aborted).toBe(true)
    await page.advance(999)
    expect(times()).toEqual([1000])
    await page.advance(1)
    expect(times()).toEqual([1000, 2500])
    expect(outcome).toEqual({ value: done })
  })

  it('have not failed where the page was hidden during them, however often', async () => {
    const { page, follow, times } = setUp('never')
    const { outcome } = follow()
    for (let count = 0; count < 12; count += 1) {
      await page.advance(1500)
      await page.hidePage()
      await page.showPage()
    }
    expect(outcome).toEqual({})
    expect(times()).toHaveLength(12)
  })

  it('are repeated with a backoff where one fails', async () => {
    const { page, follow, times } = setUp(new TypeError('fetch failed'), new TypeError('fetch failed'), done)
    const { outcome } = follow()
    await page.advance(10_000)
    expect(times()).toHaveLength(3)
    expect(outcome).toEqual({ value: done })
  })

  it('pass over one snapshot from before, and believe the second', async () => {
    const late = (message: string) => snapshot({ lastUpdatedAt: at(1), statusMessage: message })
    const { page, follow } = setUp(snapshot({ lastUpdatedAt: at(9) }), late('first'), late('second'))
    const { seen } = follow()
    await page.advance(2000)
    expect(seen).toHaveLength(1)
    await page.advance(1000)
    expect(seen).toMatchObject([{ lastUpdatedAt: at(9) }, { statusMessage: 'second' }])
  })

  it('believe the second snapshot from before, too, where the clock of the page was set back before the first', async () => {
    const { page, follow, times } = setUp(snapshot({ lastUpdatedAt: at(9) }), snapshot({ lastUpdatedAt: at(1) }))
    const { seen } = follow()
    await page.advance(1000)
    page.setClock(-3_600_000)
    await page.advance(3000)
    expect(times()).toHaveLength(3)
    expect(seen).toMatchObject([{ lastUpdatedAt: at(9) }, { lastUpdatedAt: at(1) }])
  })
})
