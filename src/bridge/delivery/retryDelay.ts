const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long to wait after the first failed attempt, the second, and so on, as Standard Webhooks recommends it. */
const DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const

export const LONGEST_DELAY_MS: number = 24 * HOUR

/**
 * When to try a message, ms since the epoch. A clock that was set back would hold it back for as long: no delay is longer than two days.
 */
export function tryAt(nextAt: number, now: number): number {
  return nextAt > now + 2 * LONGEST_DELAY_MS ? now : nextAt
}

/**
 * How long to wait after so many failed attempts, in ms: up to a tenth longer by chance, so that messages that failed together do not come
 * back together. Undefined after the last one.
 */
export function retryDelayMs(attempts: number, random: number): number | undefined {
  const delay = DELAYS_MS[attempts - 1]
  return delay && Math.round(delay * (1 + random / 10))
}
