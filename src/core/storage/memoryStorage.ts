import type { TaskStorage } from './taskStorage.js'

/** Records that live as long as the page. */
export function memoryStorage(): TaskStorage {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key),
    setItem: (key, value) => {
      items.set(key, value)
    },
    removeItem: (key) => {
      items.delete(key)
    },
    keys: () => [...items.keys()],
  }
}
