import type { Environment } from '../environment/environment.js'
import { onAbort } from './abort.js'
import { createInbox, type Inbox } from './inbox.js'
import { ALONE, type TabLink } from './tabLink.js'
import type { ToolCallNetwork } from './toolCallState.js'

/** Between two looks at the clock. A timer counts the time a machine is awake, the wall clock does not stop. */
const MAX_NAP_MS = 30_000

/** How long a poll of another tab may be overdue before this tab takes its turn: it was closed, or it is frozen. */
export const TURN_GRACE_MS = 1000

/** Everybody behind a router comes back online in the same moment; spread over this, at random, they ask again. */
const ONLINE_JITTER_MS = 200

/** What other tabs have said while this one was away arrives within it. */
const HEARING_MS = 100

export interface WaitOptions {
  readonly environment: Environment
  /** Wall-clock time, ms since the epoch. */
  readonly dueAt: number
  /** As far as coming back online cuts the wait short: the part of it that the server asked for. */
  readonly notBefore: number
  /** From when on another tab whose turn it is counts as gone. */
  readonly overdueAt: number
  readonly pauseWhenHidden: boolean
  readonly link: TabLink
  /** What arrives in it ends the wait. */
  readonly inbox: Inbox<unknown>
  readonly signal: AbortSignal
  /** Hears why nothing happens whatever the time; undefined: that is over. */
  readonly onBlocked: (network: Extract<ToolCallNetwork, 'offline' | 'paused'> | undefined) => void
}

/**
 * Resolves when it is time and this page is to use it: online, visible where that is asked for, and the
 * tab whose turn it is; and before that when something arrives in the inbox.
 *
 * ```text
 * due ──────────┐            timer, visible again, back from the back-forward cache, back online:
 * online ───────┤            each looks at the wall clock, so a sleep is one look late, not one
 * visible ──────┼─ resolve   interval, and never a burst
 * my turn ──────┘
 *    └─ not mine, and overdue: take it
 * ```
 */
export function waitForTurn(options: WaitOptions): Promise<void> {
  const { environment, link, inbox, signal } = options
  return new Promise((resolve, reject) => {
    let lastLook = environment.now()
    let { dueAt } = options
    // A tab that has just come gives the others time to speak, however long ago the poll was due.
    let overdueAt = Math.max(options.overdueAt, lastLook + TURN_GRACE_MS)
    let timer: unknown
    let napEndsAt = Number.POSITIVE_INFINITY
    let wasLate = false
    let blocked: 'offline' | 'paused' | undefined
    let isOver = false

    const stop = () => {
      isOver = true
      environment.clearTimeout(timer)
      for (const unsubscribe of subscriptions) unsubscribe()
    }
    const block = (network: 'offline' | 'paused' | undefined) => {
      if (network !== blocked) options.onBlocked(network)
      blocked = network
    }
    const nap = (until: number) => {
      napEndsAt = Math.min(until, environment.now() + MAX_NAP_MS)
      timer = environment.setTimeout(look, napEndsAt - environment.now())
    }
    const look = (): void => {
      // One event has two listeners: the first ends the wait, and the second must not begin it again.
      if (isOver) return
      environment.clearTimeout(timer)
      const now = environment.now()
      // A clock set back would otherwise lengthen the wait by as much.
      if (now < lastLook) {
        dueAt -= lastLook - now
        overdueAt -= lastLook - now
      }
      // Timers that come late: frozen or asleep, this tab has heard nothing. Once, for throttled ones always do.
      if (!wasLate && now - napEndsAt >= HEARING_MS) {
        wasLate = true
        overdueAt = Math.max(overdueAt, now + HEARING_MS)
      }
      lastLook = now
      if (!environment.isOnline()) return block('offline')
      if (options.pauseWhenHidden && !environment.isVisible()) return block('paused')
      block(undefined)
      if (now < dueAt) return nap(dueAt)
      if (!link.isMyTurn()) {
        if (now >= overdueAt) {
          overdueAt = now + TURN_GRACE_MS
          link.takeTurn()
        }
        return nap(overdueAt)
      }
      finish()
    }
    const finish = () => {
      stop()
      block(undefined)
      resolve()
    }
    const onOnline = () => {
      const now = environment.now()
      const soon = Math.max(options.notBefore, now + environment.random() * ONLINE_JITTER_MS)
      if (environment.isOnline()) dueAt = dueAt <= now ? soon : Math.min(dueAt, soon)
      look()
    }

    const subscriptions = [
      environment.onOnlineChange(onOnline),
      environment.onVisibilityChange(look),
      environment.onPageShow(() => {
        // Away, this tab has heard nothing of the others; they are about to tell.
        overdueAt = Math.max(overdueAt, environment.now() + TURN_GRACE_MS)
        look()
      }),
      link.onTurnChange(() => {
        // Whoever has taken the turn has yet to be heard.
        overdueAt = Math.max(overdueAt, environment.now() + TURN_GRACE_MS)
        look()
      }),
      inbox.onArrival(finish),
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

/** Resolves at a wall-clock time, ms since the epoch, or as soon after it as the browser says that there is a network. */
export function waitUntilOnline(
  options: Pick<WaitOptions, 'environment' | 'signal' | 'onBlocked'>,
  dueAt: number = options.environment.now(),
): Promise<void> {
  const alone = { link: ALONE, inbox: createInbox<never>(), pauseWhenHidden: false }
  return waitForTurn({ ...options, ...alone, dueAt, notBefore: dueAt, overdueAt: dueAt })
}
