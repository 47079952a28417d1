import { afterEach, describe, expect, it, vi } from 'vitest'
import { macrotask } from './macrotask.js'

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
  it('comes after every promise that can settle by itself', () => isLast(macrotask))

  it('comes where there is no setImmediate, as in browsers', async () => {
    vi.stubGlobal('setImmediate', undefined)
    vi.resetModules()
    const inBrowsers = await import('./macrotask.js')
    await isLast(inBrowsers.macrotask)
  })

  it('comes though a test fakes the timers', () => {
    vi.useFakeTimers()
    return isLast(macrotask)
  })
})
