import type { Clock } from '../../../src/server/base/clock.js'

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time by so many ms and runs what falls due, in order. */
  advance(ms: number): Promise<void>
  /** How many timers are armed. */
  readonly pending: number
}

/** A clock that starts at the given moment, in ms since the epoch. */
export function createManualClock(startAt = Date.UTC(2026, 10, 1)): ManualClock {
  const timers = new Map<number, { at: number; callback: () => void }>()
  let now = startAt
  let lastHandle = 0

  return {
    now: () => now,
    setTimeout(callback, delayMs) {
      lastHandle += 1
      timers.set(lastHandle, { at: now + delayMs, callback })
      return lastHandle
    },
    clearTimeout(handle) {
      timers.delete(Number(handle))
    },
    get pending() {
      return timers.size
    },
    async advance(ms) {
      const until = now + ms
      for (;;) {
        const [due] = [...timers].filter(([, timer]) => timer.at <= until).sort(([, a], [, b]) => a.at - b.at)
        if (due === undefined) break
        timers.delete(due[0])
        now = Math.max(now, due[1].at)
        due[1].callback()
        await settle()
      }
      now = until
      await settle()
    },
  }
}

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
