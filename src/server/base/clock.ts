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

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}

/** Node's timers keep the process alive unless they are unreferenced; those of other platforms are numbers. */
export function unrefTimer(timer: unknown): void {
  if (typeof timer !== 'object' || timer === null || !('unref' in timer)) return
  if (typeof timer.unref === 'function') timer.unref()
}
