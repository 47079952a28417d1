import { type Clock, MAX_TIMER_MS } from './clock.js'

/** Resolves `ms` later on the clock; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const until = clock.now() + ms
    let timer: unknown
    const onAbort = () => {
      clock.clearTimeout(timer)
      reject(signal.reason)
    }
    const wait = () => {
      const left = until - clock.now()
      // Also false for NaN, which would never be over.
      if (left > 0) {
        timer = clock.setTimeout(wait, Math.min(left, MAX_TIMER_MS))
        return
      }
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    wait()
  })
}
