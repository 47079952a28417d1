import { heldRecord, isHeldRecord, isSameStart } from '../record/keep.js'
import type { PageStorage } from './pageStorage.js'
import type { TaskStorage } from './taskStorage.js'

const PREFIX = 'held:'

/**
 * Keeps records whose task id names a session in `own`, which is for one tab and no longer than that. In `shared`
 * stands meanwhile that the call was made, so that no other tab makes it again. An item counts as gone once it is gone
 * from there, for another tab has forgotten the call, and once a later call stands there, which another tab has made.
 */
export function splitStorage(shared: PageStorage, own: PageStorage): TaskStorage {
  return {
    getItem: (key) => {
      const text = shared.getItem(key)
      const kept = isHeldRecord(text) ? own.getItem(PREFIX + key) : undefined
      return kept && text && isSameStart(kept, text) ? kept : text
    },
    setItem: (key, value) => {
      const held = heldRecord(value)
      if (held !== undefined) own.setItem(PREFIX + key, value)
      else if (isHeldRecord(shared.getItem(key))) own.removeItem(PREFIX + key)
      shared.setItem(key, held ?? value)
    },
    removeItem: (key) => {
      shared.removeItem(key)
      own.removeItem(PREFIX + key)
    },
    keys: (prefix) => {
      const keys = new Set(shared.keys())
      // What else of the page has a name like this is the app's.
      for (const key of own.keys())
        if (key.startsWith(PREFIX + prefix) && !keys.has(key.slice(PREFIX.length))) own.removeItem(key)
      return keys
    },
  }
}
