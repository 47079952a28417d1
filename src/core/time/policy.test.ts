import { describe, expect, it } from 'vitest'
import { backoffDelay, DEFAULT_POLL_POLICY, LONGEST_WAIT_MS, MAX_TIMER_MS, pollInterval } from './policy.js'

const policy = DEFAULT_POLL_POLICY

it('the defaults are those that the documentation names', () => {
  expect(DEFAULT_POLL_POLICY).toEqual({
    defaultIntervalMs: 1000,
    minIntervalMs: 50,
    hidden: 'continue',
    baseMs: 500,
    maxMs: 30_000,
    maxAttempts: Number.POSITIVE_INFINITY,
    safetyIntervalMs: 30_000,
    requestTimeoutMs: 30_000,
    callTimeoutMs: 3_600_000,
  })
  // setTimeout fires at once for anything above.
  expect(MAX_TIMER_MS).toBe(2_147_483_647)
})

describe('pollInterval', () => {
  it.each([
    ['none', undefined, {}, 1000],
    ['none, by a default of one’s own', undefined, { defaultIntervalMs: 300 }, 300],
    ['none, and a default below the least', undefined, { defaultIntervalMs: 10 }, 50],
    ['0', 0, {}, 50],
    ['no number', Number.NaN, {}, 1000],
    ['less than the least', 49, {}, 50],
    ['a fraction', 1500.5, {}, 1500.5],
    ['less than the user wants', 200, { minIntervalMs: 2000 }, 2000],
    ['more than the user wants', 5000, { minIntervalMs: 60, defaultIntervalMs: 100 }, 5000],
    ['a day', LONGEST_WAIT_MS, {}, LONGEST_WAIT_MS],
    ['more than a day', 1e12, {}, LONGEST_WAIT_MS],
  ])('an interval of %s', (_, pollIntervalMs, changes, expected) => {
    expect(pollInterval(pollIntervalMs, { ...policy, ...changes })).toBe(expected)
  })
})

describe('backoffDelay', () => {
  it.each([
    [1, 500],
    [2, 1000],
    [3, 2000],
    [6, 16_000],
    [7, 30_000],
    [1100, 30_000],
  ])('after %s failures is anything below %s ms', (failures, most) => {
    expect(backoffDelay(failures, policy, 0)).toBe(0)
    expect(backoffDelay(failures, policy, 0.5)).toBe(most / 2)
    expect(backoffDelay(failures, policy, 0.999)).toBeLessThan(most)
  })

  it('goes by base and limit of the policy', () => {
    const own = { ...policy, baseMs: 10, maxMs: 25 }
    expect([1, 2, 3].map((failures) => backoffDelay(failures, own, 0.999_999))).toEqual([
      expect.closeTo(10, 3),
      expect.closeTo(20, 3),
      expect.closeTo(25, 3),
    ])
  })
})
