/** Functions of the app that are called when something has happened, in the order in which they were added. */
export interface Listeners<Args extends unknown[]> {
  /** Returns a function that removes the listener. */
  add(listener: (...args: Args) => void): () => void
  notify(...args: Args): void
}

/** `guard` calls a listener, which may throw. */
export function createListeners<Args extends unknown[]>(guard: (call: () => void) => void): Listeners<Args> {
  // Most clients have none, and a backend has many clients.
  let listeners: Set<(...args: Args) => void> | undefined
  return {
    add: (listener) => {
      // Each is one of its own, also of the same function.
      const own: typeof listener = (...args) => listener(...args)
      listeners ??= new Set()
      listeners.add(own)
      return () => void listeners?.delete(own)
    },
    notify: (...args) => {
      for (const listener of [...(listeners ?? [])]) guard(() => listener(...args))
    },
  }
}
