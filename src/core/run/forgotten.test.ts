import { describe, expect, it } from 'vitest'
import { createForgotten } from './forgotten.js'

function begin() {
  const clock = { now: 1000 }
  return { clock, forgotten: createForgotten(() => clock.now) }
}

describe('createForgotten', () => {
  it('knows what was forgotten, by call or altogether, and not what was started after', () => {
    const { clock, forgotten } = begin()
    const started = forgotten.startTime()
    forgotten.forget('a')
    expect(forgotten.has('a', started)).toBe(true)
    expect(forgotten.has('b', started)).toBe(false)
    clock.now = 2000
    forgotten.forget()
    expect(forgotten.has('b', started)).toBe(true)
    expect(forgotten.has('b', 2001)).toBe(false)
  })

  it('starts a call later than all that was forgotten, also in the same millisecond', () => {
    const { forgotten } = begin()
    forgotten.forget('a')
    const at = forgotten.forget('a')
    expect(at).toBe(1001)
    expect(forgotten.startTime()).toBeGreaterThan(at)
    expect(forgotten.has('a', forgotten.startTime())).toBe(false)
  })

  it('goes on where another tab is ahead of this one, or the clock is set back', () => {
    const { clock, forgotten } = begin()
    forgotten.note('a', 5000)
    expect(forgotten.startTime()).toBe(5001)
    clock.now = 0
    expect(forgotten.forget('b')).toBe(5001)
    expect(forgotten.has('a', 5000)).toBe(true)
  })

  it('keeps the later of two times, whatever order the messages come in', () => {
    const { forgotten } = begin()
    forgotten.note(undefined, 3000)
    forgotten.note(undefined, 2000)
    expect(forgotten.has('a', 2500)).toBe(true)
  })
})
