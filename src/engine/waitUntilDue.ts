import type { Environment } from '../environment/environment.js'
import { onAbort } from './abort.js'
import type { ToolCallNetwork } from './toolCallState.js'

/** Between two looks at the clock. A timer counts the time a machine is awake, the wall clock does not stop. */
const MAX_NAP_MS = 30_000

export interface WaitOptions {
  environment: Environment
  /** Wall-clock time, ms since the epoch. */
  dueAt: number
  /** As far as coming back online cuts the wait short: the part of it that the server asked for. */
  notBefore: number
  pauseWhenHidden: boolean
  signal: AbortSignal
  /** Hears why nothing happens although it is time. */
  onBlocked: (network: Extract<ToolCallNetwork, 'offline' | 'paused'>) => void
}

/**
 * Resolves when it is time and the page is in a state to use it: online and, where asked for, visible.
 *
 * ```text
 * due ──────────┐            timer, visible again, back from the back-forward cache, back online:
 * online ───────┼─ resolve   each looks at the wall clock, so a sleep is one look late, not one
 * visible ──────┘            interval, and never a burst
 * ```
 */
export function waitUntilDue(options: WaitOptions): Promise<void> {
  const { environment, signal } = options
  return new Promise((resolve, reject) => {
    let { dueAt } = options
    let lastLook = environment.now()
    let timer: unknown

    const stop = () => {
      environment.clearTimeout(timer)
      for (const unsubscribe of subscriptions) unsubscribe()
    }
    const look = () => {
      environment.clearTimeout(timer)
      const now = environment.now()
      // A clock set back would otherwise lengthen the wait by as much.
      if (now < lastLook) dueAt -= lastLook - now
      lastLook = now
      if (!environment.isOnline()) return options.onBlocked('offline')
      if (options.pauseWhenHidden && !environment.isVisible()) return options.onBlocked('paused')
      if (now < dueAt) {
        timer = environment.setTimeout(look, Math.min(dueAt - now, MAX_NAP_MS))
        return
      }
      stop()
      resolve()
    }
    const onOnline = () => {
      if (environment.isOnline()) dueAt = Math.min(dueAt, Math.max(options.notBefore, environment.now()))
      look()
    }

    const subscriptions = [
      environment.onOnlineChange(onOnline),
      environment.onVisibilityChange(look),
      environment.onPageShow(look),
    ]
    subscriptions.push(
      onAbort(signal, () => {
        stop()
        reject(signal.reason)
      }),
    )
    if (!signal.aborted) look()
  })
}
