import { type Clock, MAX_TIMER_MS } from './clock.js'

/**
 * Resolves `ms` later on the clock, also where that is set back meanwhile; rejects with the signal's reason as soon as it
 * aborts.
 */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    let until = clock.now() + ms
    let timer: unknown
    const onAbort = () => {
      clock.clearTimeout(timer)
      reject(signal.reason)
    }
    const wait = () => {
      const left = until - clock.now()
      // Also false for NaN, which would never be over.
      if (left > 0) {
        const napMs = Math.min(left, MAX_TIMER_MS)
        timer = clock.setTimeout(() => {
          // The timer has waited that long, whatever the clock says.
          until = Math.min(until, clock.now() + left - napMs)
          wait()
        }, napMs)
        return
      }
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    wait()
  })
}
