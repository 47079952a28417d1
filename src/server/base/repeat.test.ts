import { describe, expect, it, vi } from 'vitest'
import { createManualClock, settle } from '../../../test/server/support/manualClock.js'
import { repeat } from './repeat.js'

describe('repeat', () => {
  it('calls again and again until it is stopped', async () => {
    const clock = createManualClock(0)
    const tick = vi.fn()
    const stop = repeat(clock, 1000, tick)
    await clock.advance(3500)
    stop()
    await clock.advance(3500)
    expect(tick).toHaveBeenCalledTimes(3)
    expect(clock.pending).toBe(0)
  })

  it('waits for one call to end before it counts to the next', async () => {
    const clock = createManualClock(0)
    let end = () => {}
    const tick = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    )
    repeat(clock, 1000, tick)
    await clock.advance(5000)
    expect(tick).toHaveBeenCalledTimes(1)
    end()
    await settle()
    await clock.advance(1000)
    expect(tick).toHaveBeenCalledTimes(2)
  })

  it('can be stopped by what it calls', async () => {
    const clock = createManualClock(0)
    const stop = repeat(clock, 1000, () => stop())
    await clock.advance(1000)
    expect(clock.pending).toBe(0)
  })
})
