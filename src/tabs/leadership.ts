import type { Leadership } from '../call/callTabs.js'
import type { Environment, Locks, Unsubscribe } from '../environment/environment.js'

/**
 * An election by Web Lock: whoever holds it leads, and the browser passes it on when a tab is closed or
 * crashes. It is let go of when the page goes away, since a lock can keep a page out of the back-forward cache.
 * `isHere` says whether the page is back, `onEmpty` is called when nobody stands for election any more.
 *
 * ```text
 * tab A  join ─ granted ── leads ─────────── stolen ─ queues again …
 * tab B        join ─ queues ───── take() ── leads ─ closed
 * tab A                                              ─ granted ── leads
 * ```
 */
export function createLeadership(
  name: string,
  locks: Locks,
  environment: Environment,
  isHere: () => boolean,
  onEmpty: () => void,
): Leadership {
  const listeners = new Set<() => void>()
  let members = 0
  let isLeader = false
  let wasTaken = false
  /** The candidacy under way; a later one replaces it. */
  let candidacy: { withdraw: () => void } | undefined
  let subscriptions: Unsubscribe[] = []

  function set(leads: boolean, taken = false): void {
    if (leads === isLeader) return
    isLeader = leads
    wasTaken = taken
    for (const listener of [...listeners]) listener()
  }

  function stand(steal: boolean): void {
    candidacy?.withdraw()
    // A page that has gone away stands again when it is back; its timers may run before it hears that it is.
    if (!isHere()) return
    const queue = new AbortController()
    let release = () => {}
    const own = {
      withdraw: () => {
        candidacy = undefined
        queue.abort()
        release()
        set(false)
      },
    }
    candidacy = own
    const office = () =>
      new Promise<void>((resolve) => {
        if (candidacy !== own) return resolve()
        release = resolve
        set(true, steal)
      })
    locks
      // A request that steals does not queue, so it takes no signal.
      .request(name, steal ? { steal } : { signal: queue.signal }, office)
      .catch(() => {})
      .then(() => {
        if (candidacy !== own) return
        // Another tab took the office: back into the queue.
        candidacy = undefined
        set(false)
        stand(false)
      })
  }

  function enter(): void {
    members += 1
    if (members > 1) return
    stand(false)
    subscriptions = [
      environment.onPageHide(() => candidacy?.withdraw()),
      environment.onPageShow(() => {
        if (candidacy === undefined) stand(false)
      }),
    ]
  }

  function leave(): void {
    members -= 1
    if (members > 0) return
    candidacy?.withdraw()
    for (const unsubscribe of subscriptions) unsubscribe()
    onEmpty()
  }

  return {
    isLeader: () => isLeader,
    wasTaken: () => wasTaken,
    join: () => {
      enter()
      let isMember = true
      return () => {
        if (isMember) leave()
        isMember = false
      }
    },
    take: () => {
      if (members > 0 && !isLeader) stand(true)
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
