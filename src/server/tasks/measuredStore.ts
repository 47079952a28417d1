import type { Clock } from '../base/clock.js'
import type { NotifyServer, StoreOperation } from '../base/taskServerEvents.js'
import type { TaskStore } from './taskStore.js'

/** The same store, which says how long each of its operations takes. */
export function createMeasuredStore(store: TaskStore, clock: Clock, notify: NotifyServer): TaskStore {
  async function measure<T>(operation: StoreOperation, run: () => Promise<T>): Promise<T> {
    const startedAt = clock.now()
    let hasFailed = true
    try {
      const result = await run()
      hasFailed = false
      return result
    } finally {
      notify({ type: 'store-used', operation, ms: clock.now() - startedAt, hasFailed })
    }
  }

  return {
    ...(store.isShared !== undefined && { isShared: store.isShared }),
    create: (...args) => measure('create', () => store.create(...args)),
    get: (taskId) => measure('get', () => store.get(taskId)),
    transition: (...args) => measure('transition', () => store.transition(...args)),
    expire: (now) => measure('expire', () => store.expire(now)),
    remove: (taskId) => measure('remove', () => store.remove(taskId)),
    ...optional(store, measure),
  }
}

/** What a store leaves out stays out: the server does without. */
function optional(
  store: TaskStore,
  measure: <T>(operation: StoreOperation, run: () => Promise<T>) => Promise<T>,
): Pick<TaskStore, 'countAtWork' | 'createUnlessFull' | 'lapsed' | 'list' | 'watch'> {
  const { countAtWork, createUnlessFull, lapsed, list, watch } = store
  return {
    ...(countAtWork && { countAtWork: (owner) => measure('countAtWork', () => countAtWork.call(store, owner)) }),
    ...(createUnlessFull && {
      createUnlessFull: (...args) => measure('create', () => createUnlessFull.apply(store, args)),
    }),
    ...(lapsed && { lapsed: (now, limit) => measure('lapsed', () => lapsed.call(store, now, limit)) }),
    ...(list && { list: (filter) => measure('list', () => list.call(store, filter)) }),
    ...(watch && { watch: watch.bind(store) }),
  }
}
