/** Functions of the app that are called when something has happened, in the order in which they were added. */
export interface Listeners<Args extends unknown[]> {
  /** Returns a function that removes the listener. */
  add(listener: (...args: Args) => void): () => void
  notify(...args: Args): void
}

/** `guard` calls a listener, which may throw. */
export function createListeners<Args extends unknown[]>(guard: (call: () => void) => void): Listeners<Args> {
  const listeners = new Set<(...args: Args) => void>()
  return {
    add: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    notify: (...args) => {
      for (const listener of [...listeners]) guard(() => listener(...args))
    },
  }
}
