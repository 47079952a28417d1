/** Time that passes when the benchmark says so: an hour of polling takes as long as its computing does. */
export interface Clock {
  now(): number
  setTimeout(callback: () => void, delayMs?: number): unknown
  clearTimeout(handle: unknown): void
  /** Lets so many ms pass: runs what falls due, and whatever promises that sets off. */
  advance(ms: number): Promise<void>
}

interface Timer {
  readonly at: number
  readonly callback: () => void
}

const { setImmediate } = globalThis

/** One turn of the event loop: every promise that can settle by itself has settled when it is over. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export function createClock(): Clock {
  let now = Date.UTC(2026, 6, 28)
  /** Timers by the ms at which they fall due. One that is cleared leaves nothing behind but that number. */
  const due = new Map<number, Set<Timer>>()
  const times = createQueue()

  return {
    now: () => now,
    setTimeout: (callback, delayMs = 0) => {
      const timer = { at: now + Math.max(1, Math.ceil(delayMs)), callback }
      const together = due.get(timer.at)
      if (together !== undefined) together.add(timer)
      else {
        due.set(timer.at, new Set([timer]))
        times.add(timer.at)
      }
      return timer
    },
    clearTimeout: (handle) => {
      if (typeof handle !== 'object' || handle === null) return
      const timer = handle as Timer
      due.get(timer.at)?.delete(timer)
    },
    advance: async (ms) => {
      const until = now + ms
      await settle()
      for (let at = times.first(); at !== undefined && at <= until; at = times.first()) {
        times.removeFirst()
        const together = due.get(at) ?? new Set()
        due.delete(at)
        if (together.size === 0) continue
        now = at
        for (const timer of together) timer.callback()
        await settle()
      }
      now = until
    },
  }
}

/**
 * Puts a clock in the place of the timers and the time of this process, so that everything lives by it whether it
 * takes an environment or not.
 */
export function takeOverTime(): Clock {
  const clock = createClock()
  const takeArguments = (callback: (...given: unknown[]) => void, delayMs?: number, ...given: unknown[]) =>
    clock.setTimeout(() => callback(...given), delayMs)
  Object.assign(globalThis, { setTimeout: takeArguments, clearTimeout: clock.clearTimeout })
  Date.now = clock.now
  return clock
}

/** Numbers, the smallest first: a binary heap. */
function createQueue() {
  const heap: number[] = []
  const at = (index: number): number => heap[index] ?? Number.POSITIVE_INFINITY

  function swap(one: number, other: number): void {
    const value = at(one)
    heap[one] = at(other)
    heap[other] = value
  }

  return {
    first: () => heap[0],
    add(value: number): void {
      let index = heap.push(value) - 1
      for (let parent = (index - 1) >> 1; index > 0 && at(parent) > at(index); parent = (index - 1) >> 1) {
        swap(index, parent)
        index = parent
      }
    },
    removeFirst(): void {
      const last = heap.pop()
      if (last === undefined || heap.length === 0) return
      heap[0] = last
      let index = 0
      for (;;) {
        const left = 2 * index + 1
        const child = at(left + 1) < at(left) ? left + 1 : left
        if (at(child) >= at(index)) return
        swap(index, child)
        index = child
      }
    },
  }
}
