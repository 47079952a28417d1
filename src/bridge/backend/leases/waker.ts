import type { Environment } from '../../../core/environment/environment.js'
import { onAbort } from '../../../core/time/abort.js'

/** Sleeps that end early. */
export interface Waker {
  /** Resolves after so many ms, when it was woken, or when the signal aborts. */
  sleep(ms: number): Promise<void>
  /** Ends the sleep in `inMs` at the latest; also the next one, where none is under way. */
  wake(inMs: number): void
  close(): void
}

export function createWaker(
  environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>,
  signal: AbortSignal | undefined,
): Waker {
  let wakeAt = Number.POSITIVE_INFINITY
  let timer: unknown
  let resolve: (() => void) | undefined
  const stopListening = signal ? onAbort(signal, end) : () => {}

  function end(): void {
    environment.clearTimeout(timer)
    wakeAt = Number.POSITIVE_INFINITY
    resolve?.()
    resolve = undefined
  }

  function arm(): void {
    environment.clearTimeout(timer)
    const ms = wakeAt - environment.now()
    if (ms > 0) timer = environment.setTimeout(end, ms)
    else end()
  }

  function wake(inMs: number): void {
    wakeAt = Math.min(wakeAt, environment.now() + inMs)
    if (resolve !== undefined) arm()
  }

  return {
    wake,
    sleep: (ms) => {
      if (signal?.aborted) return Promise.resolve()
      return new Promise<void>((done) => {
        resolve = done
        wake(ms)
      })
    },
    close: () => {
      environment.clearTimeout(timer)
      stopListening()
    },
  }
}
