import type { Environment, WebStorage } from '../environment/environment.js'
import type { TaskStorage } from './taskStorage.js'

/**
 * `localStorage` or `sessionStorage` of the page. It is looked up at each use, not at creation: mere
 * access throws where the user forbids it, and a server has none.
 *
 * @throws what the browser throws, on use.
 */
export function pageStorage(kind: 'local' | 'session', environment: Pick<Environment, 'storage'>): TaskStorage {
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
