import type { TaskStorage } from 'taskwire/lite'

/** The records of calls, in the storage of the Durable Object. */
export function storageOf(storage: DurableObjectStorage): TaskStorage {
  return {
    getItem: (key) => storage.get<string>(key),
    setItem: (key, value) => storage.put(key, value),
    removeItem: async (key) => {
      await storage.delete(key)
    },
    keys: async (prefix = '') => (await storage.list({ prefix })).keys(),
  }
}
