/** How long to wait after each of several failures in a row, in ms. */
export interface Backoff {
  /** Counts a failure at this time, in ms since the epoch, and returns how long to wait. */
  next(now: number): number
}

const FIRST_MS = 100
const LONGEST_MS = 5000

/** 100 ms, twice as long each time, 5 s at most; from the beginning again after a time without failures. */
export function createBackoff(): Backoff {
  let failures = 0
  let quietUntil = Number.NEGATIVE_INFINITY
  return {
    next(now) {
      failures = now > quietUntil ? 1 : failures + 1
      const ms = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
      quietUntil = now + 2 * ms + LONGEST_MS
      return ms
    },
  }
}
