import type { FaultInjection } from 'taskwire/devtools'

const KEY = 'northlight:offline'

/**
 * The network is that of the machine: cut in one tab, it is cut in the tab beside it, and stays so over a reload. The
 * two share their `sessionStorage`, since one is a frame of the other.
 */
export function shareNetwork(faults: FaultInjection): void {
  const read = () => faults.set('offline', sessionStorage.getItem(KEY) !== null)
  read()
  addEventListener('storage', read)
  faults.subscribe(() => {
    if (faults.active().has('offline')) sessionStorage.setItem(KEY, 'on')
    else sessionStorage.removeItem(KEY)
  })
}
