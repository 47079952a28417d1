import { expect, it } from 'vitest'
import { createBackoff } from './backoff.js'

it('waits twice as long after each failure, 5 s at most, and begins again after a quiet time', () => {
  const backoff = createBackoff()
  const waits = [0, 100, 300, 700, 1500, 3100, 6300, 11_300].map((now) => backoff.next(now))
  expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000])
  expect(backoff.next(60_000)).toBe(100)
})
