import type { PageStorage } from './pageStorage.js'

/** Records that live as long as the client. */
export function memoryStorage(): PageStorage {
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
