import { createStore, del, get, keys, set } from 'idb-keyval'
import type { TaskStorage } from 'taskwire'

const records = createStore('taskwire', 'records')

/**
 * Keeps records in IndexedDB: an item for each and nothing in memory, so that
 * tabs see what other tabs write.
 */
export const idbStorage: TaskStorage = {
  getItem: (key) => get<string>(key, records),
  setItem: (key, value) => set(key, value, records),
  removeItem: (key) => del(key, records),
  keys: () => keys<string>(records),
}
