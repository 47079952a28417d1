import type { TaskStorage } from 'taskwire'

/** The same storage, answering later. */
export function asynchronous(storage: TaskStorage): TaskStorage {
  const later = <T>(action: () => T): Promise<Awaited<T>> =>
    new Promise((resolve) => setImmediate(() => resolve(action() as Awaited<T>)))
  return {
    getItem: (key) => later(() => storage.getItem(key)),
    setItem: (key, value) => later(() => storage.setItem(key, value)),
    removeItem: (key) => later(() => storage.removeItem(key)),
    keys: () => later(() => storage.keys()),
  }
}
