import { createSubscriber } from 'svelte/reactivity'
import { keepSame } from '../bindings/callsOf.js'

/** A value that is read where it is used: in markup, `$derived` or `$effect`, where its changes are tracked. */
export interface ReactiveValue<T> {
  readonly current: T
}

/**
 * A function that has what reads it run again when `subscribe` calls its listener. `subscribe` is called in the browser,
 * once for all that read, and again for other sources.
 */
export function createTracker<S extends readonly unknown[]>(
  subscribe: (listener: () => void, ...sources: S) => () => void,
): (...sources: S) => void {
  let tracked: S | undefined
  let track = () => {}
  return (...sources) => {
    const same = keepSame(tracked, sources)
    if (same !== tracked) {
      tracked = sources
      track = createSubscriber((listener) => subscribe(listener, ...sources))
    }
    track()
  }
}
