import { createSubscriber } from 'svelte/reactivity'
import { keepSame } from '../../core/client/toolCallGroup.js'

/** A value to read in markup, `$derived` or `$effect`. Svelte tracks its changes there. */
export interface ReactiveValue<T> {
  readonly current: T
}

/**
 * A function that returns what `read` returns, and has what reads it run again when that is another value once `subscribe`
 * calls its listener. `subscribe` is called in the browser, once for all that read, and again for other sources.
 */
export function createReader<S extends readonly unknown[], T>(
  subscribe: (listener: () => void, ...sources: S) => () => void,
  read: (...sources: S) => T,
): (...sources: S) => T {
  let tracked: S | undefined
  let track = () => {}
  return (...sources) => {
    const same = keepSame(tracked, sources)
    if (same !== tracked) {
      tracked = sources
      track = createSubscriber((update) => {
        let seen = read(...sources)
        return subscribe(
          () => {
            const next = read(...sources)
            if (next !== seen) update()
            seen = next
          },
          ...sources,
        )
      })
    }
    track()
    return read(...sources)
  }
}
