import type { Environment, Unsubscribe } from '../environment/environment.js'
import { onAbort } from './abort.js'

/** Between two looks at the clock, in ms. A timer counts the time a machine is awake, the wall clock does not stop. */
const MAX_NAP_MS = 30_000

export interface UntilOnlineOptions {
  readonly environment: Environment
  readonly signal: AbortSignal
  /** ms since the epoch. @default now */
  readonly dueAt?: number
  /** Subscribes to what makes an attempt promising earlier, from `soonAt` on. */
  readonly onPromising?: (listener: () => void) => Unsubscribe
  /** ms since the epoch. @default dueAt */
  readonly soonAt?: number
  /** Called once if it has to wait for the network. */
  readonly onOffline?: () => void
}

/**
 * Waits for a time, and then for the network: resolves at `dueAt`, or as soon after it as the browser says that there is a network.
 * Rejects with the signal's reason.
 */
export function untilOnline({
  environment,
  signal,
  onOffline,
  onPromising,
  ...options
}: UntilOnlineOptions): Promise<void> {
  let lastNow = environment.now()
  let { dueAt = lastNow } = options
  let { soonAt = dueAt } = options
  if (!signal.aborted && environment.isOnline() && dueAt <= lastNow) return Promise.resolve()
  return new Promise((resolve, reject) => {
    let timer: unknown
    let wasOnline = true
    const stop = () => {
      environment.clearTimeout(timer)
      stopOnline()
      stopVisible()
      stopPromising?.()
      stopAborting()
    }
    const look = () => {
      environment.clearTimeout(timer)
      const now = environment.now()
      // A clock set back would otherwise lengthen the wait by as much.
      const setBackBy = Math.max(0, lastNow - now)
      dueAt -= setBackBy
      soonAt -= setBackBy
      lastNow = now
      if (!environment.isOnline()) {
        if (wasOnline) onOffline?.()
        wasOnline = false
      } else if (now >= dueAt) {
        stop()
        resolve()
      } else timer = environment.setTimeout(look, Math.min(dueAt - now, MAX_NAP_MS), dueAt)
    }
    const stopOnline = environment.onOnlineChange(look)
    const stopVisible = environment.onVisibilityChange(look)
    const stopPromising = onPromising?.(() => {
      dueAt = Math.min(dueAt, soonAt)
      look()
    })
    let stopAborting = () => {}
    stopAborting = onAbort(signal, () => {
      stop()
      reject(signal.reason)
    })
    if (!signal.aborted) look()
  })
}
