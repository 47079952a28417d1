import type { Environment } from '../environment/environment.js'
import { memoryStorage } from './memoryStorage.js'

/** A storage that answers at once, as those of a page do. */
export interface PageStorage {
  getItem(key: string): string | null | undefined
  setItem(key: string, value: string): void
  removeItem(key: string): void
  keys(): string[]
}

/**
 * `localStorage` or `sessionStorage` of the page, or memory where the page has none, as some web views and workers. It is looked up at
 * each use, not at creation: mere access throws where the user forbids it.
 *
 * @throws what the browser throws, on use.
 */
export function pageStorage(kind: 'local' | 'session', environment: Pick<Environment, 'storage'>): PageStorage {
  const memory = memoryStorage()
  const open = () => environment.storage(kind)
  return {
    getItem: (key) => (open() ?? memory).getItem(key),
    setItem: (key, value) => (open() ?? memory).setItem(key, value),
    removeItem: (key) => (open() ?? memory).removeItem(key),
    keys: () => {
      const storage = open()
      if (storage == null) return memory.keys()
      const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index))
      return keys.filter((key) => typeof key === 'string')
    },
  }
}
