import type { CallChange, CallTap } from '../../call/callChange.js'
import type { Environment } from '../../environment/environment.js'
import { hash } from '../../storage/hash.js'
import type { TaskClientObservation } from './events.js'

export interface Observing {
  /** Calls the listener with everything that happens from now on. Returns a function that unsubscribes. */
  observe(listener: (observation: TaskClientObservation) => void): () => void
  close(): void
}

/**
 * Tells what happens in the client to those who listen. What makes sentences of it is loaded with the first of them;
 * what happens until then is kept and told after it.
 */
export function createObserving(tap: CallTap, environment: Environment, guard: (call: () => void) => void): Observing {
  const listeners = new Set<(observation: TaskClientObservation) => void>()
  let stop: (() => void) | undefined

  function begin(): () => void {
    const kept: CallChange[] = []
    let stopWatching: (() => void) | undefined
    let isOver = false
    tap.onChange = (change) => kept.push(change)
    void import('./observer.js').then(({ createObserver }) => {
      if (isOver) return
      const observer = createObserver(environment, hash, (observation) => {
        for (const listener of [...listeners]) guard(() => listener(observation))
      })
      stopWatching = observer.close
      tap.onChange = (change) => guard(() => observer.take(change))
      for (const change of kept) tap.onChange(change)
    })
    return () => {
      isOver = true
      tap.onChange = undefined
      stopWatching?.()
    }
  }

  function close(): void {
    stop?.()
    stop = undefined
  }

  return {
    observe: (listener) => {
      // Each subscription is one of its own, also of the same function.
      const own = (observation: TaskClientObservation) => listener(observation)
      listeners.add(own)
      stop ??= begin()
      return () => {
        listeners.delete(own)
        if (listeners.size === 0) close()
      }
    },
    close: () => {
      listeners.clear()
      close()
    },
  }
}
