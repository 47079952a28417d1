import type { Environment, Locks } from '../environment/environment.js'
import type { Election } from './tabs.js'
import { MESSAGE_DELAY_MS } from './tabs.js'

export interface ElectionOptions {
  /** The name of its lock. */
  readonly name: string
  readonly locks: Locks
  readonly environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>
  /** False while the page is away. */
  readonly isHere: () => boolean
  /** Called when this tab becomes the leader or ceases to be. */
  readonly onChange: (election: Election, byStealing: boolean) => void
  /** Called when no task takes part in the election. */
  readonly onEmpty: () => void
}

/** An election as its owner sees it. */
export interface OwnElection extends Election {
  /** The page goes away: a lock can keep it out of the back-forward cache. */
  leavePage(): void
  /** The page is back. */
  comeBack(): void
}

/**
 * An election by Web Lock: the tab that holds the lock leads, and the browser passes it on when a tab is closed or
 * crashes.
 *
 * ```text
 * tab A  join ─ granted ── leads ─────────── stolen ─ queues again …
 * tab B        join ─ queues ───── steal() ─ leads ─ closed
 * tab A                                              ─ granted ── leads
 * ```
 */
export function createElection({ name, locks, environment, isHere, onChange, onEmpty }: ElectionOptions): OwnElection {
  let members = 0
  let isLeader = false
  let ending: unknown
  /** The lock request under way; a later one replaces it. */
  let request: { readonly cancel: () => void } | undefined

  function set(leads: boolean, byStealing = false): void {
    if (leads === isLeader) return
    isLeader = leads
    onChange(election, byStealing)
  }

  function requestLock(steal: boolean): void {
    request?.cancel()
    // A page that has gone away requests the lock again when it is back; its timers may run before its `pageshow`.
    if (!isHere()) return
    const queue = new AbortController()
    let release = () => {}
    const own = {
      cancel: () => {
        request = undefined
        queue.abort()
        release()
        set(false)
      },
    }
    request = own
    const onGranted = () =>
      new Promise<void>((resolve) => {
        if (request !== own) return resolve()
        release = resolve
        set(true, steal)
      })
    locks
      // A request that steals does not queue, so it takes no signal.
      .request(name, steal ? { steal } : { signal: queue.signal }, onGranted)
      .catch(() => {})
      .then(() => {
        if (request !== own) return
        // Another tab stole the lock: back into the queue.
        request = undefined
        set(false)
        requestLock(false)
      })
  }

  function end(): void {
    request?.cancel()
    onEmpty()
  }

  const election: OwnElection = {
    isLeader: () => isLeader,
    join: () => {
      environment.clearTimeout(ending)
      members += 1
      if (request === undefined) requestLock(false)
      let isMember = true
      return () => {
        if (!isMember) return
        isMember = false
        members -= 1
        // The last message is still on its way to the tab that leads next.
        if (members === 0) ending = environment.setTimeout(end, MESSAGE_DELAY_MS)
      }
    },
    steal: () => {
      if (members > 0 && !isLeader) requestLock(true)
    },
    giveAway: () => {
      // The tab that leads next has received by then what this one has tried.
      const giveUp = () => isLeader && requestLock(false)
      environment.setTimeout(giveUp, MESSAGE_DELAY_MS)
    },
    leavePage: () => request?.cancel(),
    comeBack: () => {
      if (members > 0 && request === undefined) requestLock(false)
    },
  }
  return election
}
