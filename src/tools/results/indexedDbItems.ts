import { createStore, delMany, get, keys, set, type UseStore } from 'idb-keyval'
import type { ResultItems } from './keptResults.js'

/** A database of IndexedDB, opened with its first use: a server has none, and need not. */
export function indexedDbItems(): ResultItems {
  let opened: UseStore | undefined
  const store = () => {
    opened ??= createStore('taskwire-results', 'results')
    return opened
  }
  return {
    get: async (name) => {
      const text: unknown = await get(name, store())
      return typeof text === 'string' ? text : undefined
    },
    set: async (name, text) => set(name, text, store()),
    remove: async (names) => delMany([...names], store()),
    names: async () => {
      try {
        return (await keys(store())).filter((name) => typeof name === 'string')
      } catch (error) {
        // Without IndexedDB, as at a server or in jsdom, nothing is there to be found or removed. What is to be kept fails in `set`.
        if (error instanceof ReferenceError) return []
        throw error
      }
    },
  }
}
