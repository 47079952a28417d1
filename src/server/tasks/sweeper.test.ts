import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../../test/server/support/manualClock.js'
import { createSweeper } from './sweeper.js'

function setup(next: (now: number) => number | null = () => null) {
  const clock = createManualClock(0)
  const sweeps: number[] = []
  const sweeper = createSweeper(clock, async (now) => {
    sweeps.push(now)
    return next(now)
  })
  return { clock, sweeps, sweeper }
}

describe('createSweeper', () => {
  it('sweeps when the first thing is due, with one timer for all', async () => {
    const { clock, sweeps, sweeper } = setup()
    sweeper.due(5000)
    sweeper.due(3000)
    sweeper.due(9000)
    expect(clock.pending).toBe(1)
    await clock.advance(3000)
    expect(sweeps).toEqual([3000])
  })

  it('goes on with what the sweep says is next', async () => {
    const { clock, sweeps, sweeper } = setup((now) => (now < 9000 ? now + 3000 : null))
    sweeper.due(3000)
    await clock.advance(60_000)
    expect(sweeps).toEqual([3000, 6000, 9000])
    expect(clock.pending).toBe(0)
  })

  it('takes what expires close together in one go', async () => {
    const { clock, sweeps, sweeper } = setup((now) => (now < 1100 ? now + 10 : null))
    sweeper.due(1000)
    await clock.advance(60_000)
    expect(sweeps).toEqual([1000, 2000])
  })

  it('does not wake up for what never expires', () => {
    const { clock, sweeper } = setup()
    sweeper.due(null)
    expect(clock.pending).toBe(0)
  })

  it('waits longer than a timer can hold', async () => {
    const { clock, sweeps, sweeper } = setup()
    sweeper.due(2 ** 31 + 10)
    await clock.advance(2 ** 31 + 9)
    expect(sweeps).toEqual([])
    await clock.advance(1)
    expect(sweeps).toEqual([2 ** 31 + 10])
  })

  it('does nothing any more once stopped', async () => {
    const { clock, sweeps, sweeper } = setup()
    sweeper.due(1000)
    sweeper.stop()
    sweeper.due(2000)
    await clock.advance(10_000)
    expect(sweeps).toEqual([])
  })

  it('keeps no Node process alive', () => {
    let isReferenced = true
    const timer = { unref: () => (isReferenced = false) }
    const sweeper = createSweeper({ now: () => 0, setTimeout: () => timer, clearTimeout: () => {} }, async () => null)
    sweeper.due(1000)
    expect(isReferenced).toBe(false)
  })
})
