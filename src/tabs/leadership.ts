import type { Leadership } from '../call/callTabs.js'
import type { Environment, Locks, Unsubscribe } from '../environment/environment.js'

/**
 * An election by Web Lock: the tab that holds the lock leads, and the browser passes it on when a tab is closed or
 * crashes. It is released when the page goes away, since a lock can keep a page out of the back-forward cache.
 * `isHere` returns true if the page is back, `onEmpty` is called when nothing takes part in the election any more.
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
  let refCount = 0
  let isLeader = false
  let wasStolen = false
  /** The lock request under way; a later one replaces it. */
  let request: { cancel: () => void } | undefined
  let subscriptions: Unsubscribe[] = []

  function set(leads: boolean, taken = false): void {
    if (leads === isLeader) return
    isLeader = leads
    wasStolen = taken
    for (const listener of [...listeners]) listener()
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

  function retain(): void {
    refCount += 1
    if (refCount > 1) return
    requestLock(false)
    subscriptions = [
      environment.onPageHide(() => request?.cancel()),
      environment.onPageShow(() => {
        if (request === undefined) requestLock(false)
      }),
    ]
  }

  function leave(): void {
    refCount -= 1
    if (refCount > 0) return
    request?.cancel()
    for (const unsubscribe of subscriptions) unsubscribe()
    onEmpty()
  }

  return {
    isLeader: () => isLeader,
    wasStolen: () => wasStolen,
    join: () => {
      retain()
      let isMember = true
      return () => {
        if (isMember) leave()
        isMember = false
      }
    },
    steal: () => {
      if (refCount > 0 && !isLeader) requestLock(true)
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
