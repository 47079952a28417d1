/**
 * The time of the server: pass a simulated clock to `createTaskServer`, so that no test has to wait. Every moment is in ms
 * since the epoch, every delay in ms.
 */
export interface Clock {
  now(): number
  setTimeout(callback: () => void, delayMs: number): unknown
  clearTimeout(handle: unknown): void
}

/** The longest delay a platform timer can hold: above it, it fires at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1

/** A wait that is longer than a platform timer can hold: several of these, one after the other. */
class LongTimer {
  readonly #callback: () => void
  #leftMs: number
  #isUnref = false
  #timer: unknown

  constructor(callback: () => void, delayMs: number) {
    this.#callback = callback
    this.#leftMs = delayMs
    this.#nap()
  }

  unref(): void {
    this.#isUnref = true
    unrefTimer(this.#timer)
  }

  clear(): void {
    clearTimeout(this.#timer as ReturnType<typeof setTimeout>)
  }

  #nap(): void {
    const napMs = Math.min(this.#leftMs, MAX_TIMER_MS)
    this.#leftMs -= napMs
    this.#timer = setTimeout(() => (this.#leftMs > 0 ? this.#nap() : this.#callback()), napMs)
    if (this.#isUnref) unrefTimer(this.#timer)
  }
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) =>
    delayMs > MAX_TIMER_MS ? new LongTimer(callback, delayMs) : setTimeout(callback, delayMs),
  clearTimeout(handle) {
    if (handle instanceof LongTimer) handle.clear()
    else clearTimeout(handle as ReturnType<typeof setTimeout>)
  },
}

/** Node's timers keep the process alive unless they are unreferenced; those of other platforms are numbers. */
export function unrefTimer(timer: unknown): void {
  if (typeof timer !== 'object' || timer === null || !('unref' in timer)) return
  if (typeof timer.unref === 'function') timer.unref()
}
