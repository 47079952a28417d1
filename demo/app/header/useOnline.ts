import { useSyncExternalStore } from 'react'
import { faults } from '../devtools.js'

/** What the browser says about the network, and the button that cuts it. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine && faults?.active().has('offline') !== true)
}

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  const stop = faults?.subscribe(onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
    stop?.()
  }
}
