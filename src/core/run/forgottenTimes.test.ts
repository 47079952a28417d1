import { describe, expect, it } from 'vitest'
import { isForgotten, noteForgotten, noteForgottenNow, startTime } from './forgottenTimes.js'
import type { Run } from './run.js'

function begin() {
  const clock = { now: 1000 }
  const calls = new Map<string, { readonly call: { readonly callId: string; readonly startedAt: number } }>()
  const on = { setBack: () => {} }
  const environment = { now: () => clock.now }
  const run = { environment, calls, forgotten: new Map(), lastForgottenAt: 0, on } as unknown as Run
  return { clock, calls, run }
}

describe('forgotten calls', () => {
  it('are known, one or all of them, and what was started later is not among them', () => {
    const { clock, run } = begin()
    const started = startTime(run)
    noteForgottenNow(run, 'a')
    expect(isForgotten(run, 'a', started)).toBe(true)
    expect(isForgotten(run, 'b', started)).toBe(false)
    clock.now = 2000
    noteForgottenNow(run)
    expect(isForgotten(run, 'b', started)).toBe(true)
    expect(isForgotten(run, 'b', 2001)).toBe(false)
  })

  it('are forgotten before the next call starts, also in the same millisecond', () => {
    const { run } = begin()
    noteForgottenNow(run, 'a')
    const at = noteForgottenNow(run, 'a')
    expect(at).toBe(1001)
    expect(startTime(run)).toBeGreaterThan(at)
    expect(isForgotten(run, 'a', startTime(run))).toBe(false)
  })

  it('are forgotten no earlier than they were started by a clock that was set back a moment since', () => {
    const { calls, run } = begin()
    const start = (callId: string, startedAt: number) => calls.set(callId, { call: { callId, startedAt } })
    start('a', 1050)
    start('b', 1100)
    start('c', 1101)
    expect(noteForgottenNow(run, 'a')).toBe(1050)
    expect(noteForgottenNow(run)).toBe(1100)
  })

  it('stay forgotten where another tab is ahead of this one, or the clock is set back', () => {
    const { clock, run } = begin()
    noteForgotten(run, 'a', 5000)
    expect(startTime(run)).toBe(5001)
    clock.now = 0
    expect(noteForgottenNow(run, 'b')).toBe(5001)
    expect(isForgotten(run, 'a', 5000)).toBe(true)
  })

  it('were forgotten at the later of two times, whatever order the messages come in', () => {
    const { run } = begin()
    noteForgotten(run, undefined, 3000)
    noteForgotten(run, undefined, 2000)
    expect(isForgotten(run, 'a', 2500)).toBe(true)
  })
})
