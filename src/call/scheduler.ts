import type { Environment, TimerHandle } from '../environment/environment.js'
import { MESSAGE_DELAY_MS } from './tabTimes.js'

/** Between two looks at the clock, in ms. A timer counts the time a machine is awake, the wall clock does not stop. */
const MAX_NAP_MS = 30_000

/** Something that the scheduler wakes. The two members are the scheduler's. */
export interface Wakeable {
  /** When it is to be woken, ms since the epoch. */
  wakeAt: number
  /** Its place in the queue; -1: it is not in it. */
  place: number
}

/** Wakes any number of things at their times by one timer. */
export interface Scheduler<T extends Wakeable> {
  /** Wakes it at this time, ms since the epoch, and at no other one; undefined: not at all. */
  set(item: T, at: number | undefined): void
  close(): void
}

/**
 * A queue ordered by time (a binary heap), and one timer for whatever the number of things in it.
 *
 * @param wake Called when the time has come. `isLate`: the timer came late, so this page was frozen or asleep.
 */
export function createScheduler<T extends Wakeable>(
  environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>,
  wake: (item: T, isLate: boolean) => void,
): Scheduler<T> {
  const heap: T[] = []
  let timer: TimerHandle
  let timerAt = Number.POSITIVE_INFINITY
  let isWaking = false
  let isClosed = false

  function put(item: T, place: number): void {
    heap[place] = item
    item.place = place
  }

  function up(item: T, from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = heap[parent] as T
      if (above.wakeAt <= item.wakeAt) break
      put(above, place)
      place = parent
    }
    put(item, place)
  }

  function down(item: T, from: number): void {
    let place = from
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] as T).wakeAt < (heap[child] as T).wakeAt) child += 1
      const below = heap[child] as T
      if (below.wakeAt >= item.wakeAt) break
      put(below, place)
      place = child
    }
    put(item, place)
  }

  function remove(item: T): void {
    const { place } = item
    const last = heap.pop() as T
    item.place = -1
    if (last === item) return
    if (place > 0 && last.wakeAt < (heap[(place - 1) >> 1] as T).wakeAt) up(last, place)
    else down(last, place)
  }

  function arm(): void {
    const first = heap[0]
    if (first === undefined || isWaking) return
    const now = environment.now()
    const at = Math.min(Math.max(first.wakeAt, now), now + MAX_NAP_MS)
    if (at >= timerAt) return
    environment.clearTimeout(timer)
    timerAt = at
    timer = environment.setTimeout(run, at - now)
  }

  function disarm(): void {
    environment.clearTimeout(timer)
    timerAt = Number.POSITIVE_INFINITY
  }

  function run(): void {
    const now = environment.now()
    const isLate = now - timerAt >= MESSAGE_DELAY_MS
    timerAt = Number.POSITIVE_INFINITY
    isWaking = true
    // Each once: what is due again at once waits for the next timer, so that nothing can hold the page up.
    const due: T[] = []
    for (let first = heap[0]; first !== undefined && first.wakeAt <= now; first = heap[0]) {
      remove(first)
      due.push(first)
    }
    for (const item of due) wake(item, isLate)
    isWaking = false
    arm()
  }

  return {
    set: (item, at) => {
      if (at === undefined) {
        if (item.place >= 0) remove(item)
        if (heap.length === 0) disarm()
        return
      }
      if (isClosed || (item.place >= 0 && item.wakeAt === at)) return
      if (item.place >= 0) remove(item)
      item.wakeAt = at
      heap.push(item)
      up(item, heap.length - 1)
      arm()
    },
    close: () => {
      isClosed = true
      disarm()
      for (const item of heap) item.place = -1
      heap.length = 0
    },
  }
}
