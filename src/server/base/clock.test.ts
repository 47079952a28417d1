import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MAX_TIMER_MS, systemClock, unrefTimer } from './clock.js'

describe('the clock of the machine', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each([1000, MAX_TIMER_MS, MAX_TIMER_MS + 1, 3 * MAX_TIMER_MS])('calls back after %i ms', (ms) => {
    const callback = vi.fn()
    unrefTimer(systemClock.setTimeout(callback, ms))
    vi.advanceTimersByTime(ms - 1)
    expect(callback).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(callback).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('calls back no more once a long wait was ended, in any part of it', () => {
    const callback = vi.fn()
    const timers = [1, 2].map((parts) => systemClock.setTimeout(callback, parts * MAX_TIMER_MS + 1))
    vi.advanceTimersByTime(MAX_TIMER_MS)
    for (const timer of timers) systemClock.clearTimeout(timer)
    expect(vi.getTimerCount()).toBe(0)
  })
})
