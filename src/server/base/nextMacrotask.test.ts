import { afterEach, describe, expect, it, vi } from 'vitest'
import { nextMacrotask } from './nextMacrotask.js'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

async function isLast(turn: () => Promise<void>): Promise<void> {
  const order: string[] = []
  const over = turn().then(() => order.push('turn'))
  let promise = Promise.resolve()
  for (let link = 0; link < 100; link += 1) promise = promise.then(() => {})
  void promise.then(() => order.push('promises'))
  await over
  expect(order).toEqual(['promises', 'turn'])
}

describe('macrotask', () => {
  it('comes after every promise that can settle by itself', () => isLast(nextMacrotask))

  it('comes where there is no setImmediate, as in browsers', async () => {
    vi.stubGlobal('setImmediate', undefined)
    vi.resetModules()
    const inBrowsers = await import('./nextMacrotask.js')
    await isLast(inBrowsers.nextMacrotask)
  })

  it('comes though a test fakes the timers', () => {
    vi.useFakeTimers()
    return isLast(nextMacrotask)
  })
})
