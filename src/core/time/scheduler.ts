import type { Environment, TimerHandle } from '../environment/environment.js'
import { createWakeQueue, type Wakeable } from './wakeQueue.js'

/** Between two looks at the clock, in ms. A timer counts the time a machine is awake, the wall clock does not stop. */
const MAX_NAP_MS = 30_000

/** Wakes any number of things at their times by one timer. */
export interface Scheduler<T extends Wakeable> {
  /** Wakes it at this time, ms since the epoch, and at no other one; undefined: not at all. */
  set(item: T, at: number | undefined): void
  close(): void
}

/**
 * A queue ordered by time, and one timer for whatever the number of things in it.
 *
 * @param wake Called when the time has come. `lateMs`: how much too late the timer came, in ms. A page that was frozen or
 * asleep is late, and so is one whose timers are throttled.
 */
export function createScheduler<T extends Wakeable>(
  environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>,
  wake: (item: T, lateMs: number) => void,
): Scheduler<T> {
  const queue = createWakeQueue<T>()
  let timer: TimerHandle
  let timerAt = Number.POSITIVE_INFINITY
  let isWaking = false
  let isClosed = false

  function arm(): void {
    const first = queue.first()
    if (first === undefined || isWaking) return
    const now = environment.now()
    const at = Math.max(first.wakeAt, now)
    // A timer that is overdue may take long yet, as after a sleep or where the clock was set forward: it does for what is due, and
    // `lateMs` says how late that is, but for nothing later.
    if (timerAt > now ? at >= timerAt : at === now) return
    environment.clearTimeout(timer)
    timerAt = at
    timer = environment.setTimeout(run, Math.min(at - now, MAX_NAP_MS), at)
  }

  function disarm(): void {
    environment.clearTimeout(timer)
    timerAt = Number.POSITIVE_INFINITY
  }

  function run(): void {
    const now = environment.now()
    const lateMs = now - timerAt
    timerAt = Number.POSITIVE_INFINITY
    isWaking = true
    // Each once: what is due again at once waits for the next timer, so that nothing can hold the page up.
    const due: T[] = []
    for (let first = queue.first(); first !== undefined && first.wakeAt <= now; first = queue.first()) {
      queue.set(first, undefined)
      due.push(first)
    }
    let woken = 0
    try {
      for (const item of due) {
        woken += 1
        wake(item, lateMs)
      }
    } finally {
      // One that throws takes none of the others with it.
      for (const item of due.slice(woken)) if (item.place < 0) queue.set(item, now)
      isWaking = false
      arm()
    }
  }

  return {
    set: (item, at) => {
      if (at === undefined) {
        queue.set(item, undefined)
        if (queue.first() === undefined) disarm()
        return
      }
      if (isClosed || (item.place >= 0 && item.wakeAt === at)) return
      queue.set(item, at)
      arm()
    },
    close: () => {
      isClosed = true
      disarm()
      queue.clear()
    },
  }
}
