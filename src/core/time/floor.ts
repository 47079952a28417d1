import { watchClock } from './clock.js'

/** The earliest time at which something is to be asked again. A clock that is set back takes it along. */
export interface Floor {
  /** Not before so many ms have passed; what was set before counts no longer. */
  set(ms: number): void
  /** For how many ms it is still too early. */
  leftMs(): number
}

export function createFloor(now: () => number): Floor {
  let at = Number.NEGATIVE_INFINITY
  const clock = watchClock(now, (by) => {
    at -= by
  })
  return {
    set: (ms) => {
      at = clock.now() + ms
    },
    leftMs: () => {
      // Reading the clock moves `at` where it was set back.
      const time = clock.now()
      return Math.max(0, at - time)
    },
  }
}
