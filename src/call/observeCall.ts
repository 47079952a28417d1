import type { Environment, Unsubscribe } from '../environment/environment.js'
import type { CallEvent } from './call.js'
import type { CallEntry } from './callEntry.js'

/** Counts one more that waits for the outcome of a call. Returns a function that takes it away again. */
export function observeCall(
  entry: CallEntry,
  environment: Pick<Environment, 'setTimeout'>,
  dispatch: (entry: CallEntry, event: CallEvent) => void,
): Unsubscribe {
  entry.observers += 1
  dispatch(entry, { type: 'observed' })
  let isObserving = true
  return () => {
    if (!isObserving) return
    isObserving = false
    // A component that unmounts and mounts again in the same turn has not gone away.
    environment.setTimeout(() => {
      entry.observers -= 1
      if (entry.observers === 0) dispatch(entry, { type: 'unobserved' })
    }, 0)
  }
}
