import type { Unsubscribe } from '../../core/environment/environment.js'

/** Something that listeners can subscribe to. */
export interface EventSource<T> {
  subscribe(listener: (value: T) => void): Unsubscribe
  emit(value: T): void
  size(): number
}

/** An event without listeners. */
export function eventSource<T = void>(): EventSource<T> {
  const listeners = new Set<(value: T) => void>()
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    emit: (value) => {
      for (const listener of [...listeners]) listener(value)
    },
    size: () => listeners.size,
  }
}
