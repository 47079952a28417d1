import type { TaskStorage } from 'taskwire'

/** A storage whose items a test can look at. */
export function storageOver(items: Map<string, string>): TaskStorage {
  return {
    getItem: (key) => items.get(key),
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    keys: () => items.keys(),
  }
}
