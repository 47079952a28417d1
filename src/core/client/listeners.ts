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
      listeners ??= new Set()
      listeners.add(listener)
      return () => void listeners?.delete(listener)
    },
    notify: (...args) => {
      for (const listener of [...(listeners ?? [])]) guard(() => listener(...args))
    },
  }
}
