import type { TaskStore } from 'taskwire/server'

/** A connection to a store that can be cut, as it is for a process that is killed. */
export interface CuttableStore {
  readonly store: Required<Omit<TaskStore, 'createUnlessFull' | 'list'>>
  /** From now on every request to the store rejects, and those who watch it are called no more. */
  cut(): void
}

/** A connection of one server to a store that outlives the server. */
export function createCuttableStore(store: Required<Omit<TaskStore, 'createUnlessFull' | 'list'>>): CuttableStore {
  const unsubscribes = new Set<() => void>()
  let isCut = false

  function through<Args extends unknown[], Result>(
    ask: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async (...args) => {
      if (isCut) throw new TypeError('Failed to reach the store: the server was killed.')
      return ask(...args)
    }
  }

  return {
    store: {
      // Or nobody would look for the work that a killed server has left.
      isShared: true,
      create: through((record) => store.create(record)),
      get: through((taskId) => store.get(taskId)),
      transition: through((next, expectedVersion) => store.transition(next, expectedVersion)),
      expire: through((now) => store.expire(now)),
      remove: through((taskId) => store.remove(taskId)),
      countAtWork: through((owner) => store.countAtWork(owner)),
      lapsed: through((now, limit) => store.lapsed(now, limit)),
      watch(onChange) {
        const unsubscribe = store.watch(onChange)
        unsubscribes.add(unsubscribe)
        return unsubscribe
      },
    },
    cut() {
      isCut = true
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}
