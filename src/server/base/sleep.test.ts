import { createSimulatedEnvironment } from 'taskwire/testing'
import { describe, expect, it } from 'vitest'
import { createManualClock, settle } from '../../../test/server/support/manualClock.js'
import { sleep } from './sleep.js'

const never = new AbortController().signal

/** Whether a promise has been kept yet. */
function watch(promise: Promise<unknown>): { state: string } {
  const watched = { state: 'pending' }
  promise.then(
    () => {
      watched.state = 'resolved'
    },
    (reason: unknown) => {
      watched.state = `rejected: ${String(reason)}`
    },
  )
  return watched
}

describe('sleep', () => {
  it('resolves when its time has come on the clock, not before', async () => {
    const clock = createManualClock()
    const slept = watch(sleep(clock, 100, never))
    await clock.advance(99)
    expect(slept.state).toBe('pending')
    await clock.advance(1)
    expect(slept.state).toBe('resolved')
  })

  it('is over at once where there is nothing to wait for', async () => {
    const clock = createManualClock()
    await Promise.all([0, -5, Number.NaN].map((ms) => sleep(clock, ms, never)))
    expect(clock.pending).toBe(0)
  })

  it('rejects with the reason of the abort and leaves no timer behind', async () => {
    const clock = createManualClock()
    const controller = new AbortController()
    const slept = watch(sleep(clock, 100, controller.signal))
    controller.abort('enough')
    await settle()
    expect(slept.state).toBe('rejected: enough')
    expect(clock.pending).toBe(0)
  })

  it('rejects where the signal has aborted before', async () => {
    await expect(sleep(createManualClock(), 100, AbortSignal.abort('too late'))).rejects.toBe('too late')
  })

  it('waits longer than a timer can hold', async () => {
    const clock = createManualClock()
    const slept = watch(sleep(clock, 2 ** 31 + 5, never))
    await clock.advance(2 ** 31 + 4)
    expect(slept.state).toBe('pending')
    await clock.advance(1)
    expect(slept.state).toBe('resolved')
  })

  it('waits no longer where the clock is set back meanwhile', async () => {
    const page = createSimulatedEnvironment()
    const slept = watch(sleep(page.environment, 60_000, never))
    await page.advance(20_000)
    page.setClock(-3_600_000)
    await page.advance(39_999)
    expect(slept.state).toBe('pending')
    await page.advance(1)
    expect(slept.state).toBe('resolved')
  })
})
