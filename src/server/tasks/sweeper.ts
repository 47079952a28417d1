import { type Clock, MAX_TIMER_MS, unrefTimer } from '../base/clock.js'

/** Tasks that expire close together are swept together, this many ms apart. */
const MIN_GAP_MS = 1000

/** One timer for the end of all tasks. */
export interface Sweeper {
  /** Makes sure that a sweep happens soon after this moment, in ms since the epoch. */
  due(at: number | null): void
  stop(): void
}

/**
 * Calls `sweep` when something is due; what that resolves to is the next time. Armed only while
 * there is something to sweep, and never a reason for a process to stay alive.
 */
export function createSweeper(clock: Clock, sweep: (now: number) => Promise<number | null>): Sweeper {
  let timer: unknown
  let dueAt = Number.POSITIVE_INFINITY
  let notBefore = Number.NEGATIVE_INFINITY
  let isStopped = false

  function arm(): void {
    timer = clock.setTimeout(onTimer, Math.min(Math.max(0, dueAt - clock.now()), MAX_TIMER_MS))
    unrefTimer(timer)
  }

  function onTimer(): void {
    const now = clock.now()
    if (now < dueAt) {
      arm()
      return
    }
    dueAt = Number.POSITIVE_INFINITY
    notBefore = now + MIN_GAP_MS
    void sweep(now).then(due)
  }

  function due(at: number | null): void {
    if (at === null || isStopped) return
    const next = Math.max(at, notBefore)
    if (next >= dueAt) return
    clock.clearTimeout(timer)
    dueAt = next
    arm()
  }

  return {
    due,
    stop() {
      isStopped = true
      clock.clearTimeout(timer)
    },
  }
}
