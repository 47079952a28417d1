import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createSimulatedEnvironment } from '../../testing.js'
import { withLimit } from './withLimit.js'

const LATE = new Error('late')

function setUp(work: (signal: AbortSignal) => Promise<string>) {
  const page = createSimulatedEnvironment()
  const { environment } = page
  const abort = new AbortController()
  const given: AbortSignal[] = []
  const outcome = withLimit({ environment, ms: 1000, late: () => LATE, signal: abort.signal }, (signal) => {
    given.push(signal)
    return work(signal)
  }).catch((reason: unknown) => reason)
  const left = () => [page.pendingTimers(), getEventListeners(abort.signal, 'abort').length]
  return { page, abort, outcome, given, left }
}

const never = () => new Promise<string>(() => {})

describe('withLimit()', () => {
  it('resolves to what the work comes to, and leaves no timer and no listener', async () => {
    const { outcome, left } = setUp(async () => 'done')
    expect(await outcome).toBe('done')
    expect(left()).toEqual([0, 0])
  })

  it('rejects with what the work throws', async () => {
    const error = new Error('broken')
    const { outcome, left } = setUp(() => Promise.reject(error))
    expect(await outcome).toBe(error)
    expect(left()).toEqual([0, 0])
  })

  it('gives up work that looks at no signal when the time is over', async () => {
    const { page, outcome, given, left } = setUp(never)
    await page.advance(999)
    expect(given[0]?.aborted).toBe(false)
    await page.advance(1)
    expect(await outcome).toBe(LATE)
    expect(given[0]?.reason).toBe(LATE)
    expect(left()).toEqual([0, 0])
  })

  it('gives up such work when the signal aborts, with its reason', async () => {
    const { abort, outcome, given, left } = setUp(never)
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await outcome).toBe(reason)
    expect(given[0]?.reason).toBe(reason)
    expect(left()).toEqual([0, 0])
  })
})
