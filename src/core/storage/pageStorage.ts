import type { Environment, WebStorage } from '../environment/environment.js'

/** A storage that answers at once, as those of a page do. */
export interface PageStorage {
  getItem(key: string): string | null | undefined
  setItem(key: string, value: string): void
  removeItem(key: string): void
  keys(): string[]
}

/**
 * `localStorage` or `sessionStorage` of the page. It is looked up at each use, not at creation: mere
 * access throws where the user forbids it, and a server has none.
 *
 * @throws what the browser throws, on use.
 */
export function pageStorage(kind: 'local' | 'session', environment: Pick<Environment, 'storage'>): PageStorage {
  const open = (): WebStorage | undefined => environment.storage(kind)
  return {
    getItem: (key) => open()?.getItem(key),
    setItem: (key, value) => open()?.setItem(key, value),
    removeItem: (key) => open()?.removeItem(key),
    keys: () => {
      const storage = open()
      const keys = Array.from({ length: storage?.length ?? 0 }, (_, index) => storage?.key(index))
      return keys.filter((key) => typeof key === 'string')
    },
  }
}
