import { describe, expect, it } from 'vitest'
import { createManualClock, settle } from '../../../test/server/support/manualClock.js'
import { createWaitingJobs } from './waitingJobs.js'

const start = async () => {}

describe('the count of waiting jobs', () => {
  it('is asked for once a second at most, and known the next time', async () => {
    const clock = createManualClock()
    let asked = 0
    const jobs = createWaitingJobs({ start, waiting: async () => (asked += 1) }, clock)
    expect(jobs.latest()).toBeUndefined()
    jobs.latest()
    await settle()
    const at = clock.now()
    expect(jobs.latest()).toEqual({ count: 1, at })
    await clock.advance(999)
    expect(jobs.latest()).toEqual({ count: 1, at })
    expect(asked).toBe(1)
    await clock.advance(1)
    jobs.latest()
    await settle()
    expect(jobs.latest()).toEqual({ count: 2, at: at + 1000 })
  })

  it('holds nobody up where the executor does not answer, and is asked for once meanwhile', async () => {
    const clock = createManualClock()
    let asked = 0
    const waiting = () => {
      asked += 1
      return new Promise<number>(() => {})
    }
    const jobs = createWaitingJobs({ start, waiting }, clock)
    jobs.latest()
    await clock.advance(5000)
    expect(jobs.latest()).toBeUndefined()
    expect(asked).toBe(1)
  })

  it.each([
    ['rejects', () => Promise.reject(new TypeError('gone'))],
    ['returns no number', async () => undefined as unknown as number],
    ['returns less than none', async () => -1],
  ])('is forgotten where the executor %s', async (_, fails) => {
    const clock = createManualClock()
    let waiting: () => Promise<number> = async () => 3
    const jobs = createWaitingJobs({ start, waiting: () => waiting() }, clock)
    jobs.latest()
    await settle()
    expect(jobs.latest()?.count).toBe(3)
    waiting = fails
    await clock.advance(1000)
    jobs.latest()
    await settle()
    expect(jobs.latest()).toBeUndefined()
  })

  it('is unknown where the executor does not count its jobs', async () => {
    const jobs = createWaitingJobs({ start }, createManualClock())
    jobs.latest()
    await settle()
    expect(jobs.latest()).toBeUndefined()
  })
})
