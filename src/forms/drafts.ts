import type { JsonObject } from '../protocol/json.js'
import { isJsonObject } from '../protocol/json.js'

/** Where drafts are kept: `sessionStorage`, or what is like it. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** What was typed into one form and not sent yet. Storage that throws keeps nothing. */
export interface Draft {
  read(): ReadonlyMap<string, unknown>
  write(values: ReadonlyMap<string, unknown>): void
  remove(): void
}

export function createDraft(storage: DraftStorage | undefined, key: string): Draft {
  function attempt<T>(use: (storage: DraftStorage) => T): T | undefined {
    try {
      return storage && use(storage)
    } catch {
      return undefined
    }
  }

  return {
    read: () => {
      const stored: unknown = attempt((from) => JSON.parse(from.getItem(key) ?? '{}'))
      const values: JsonObject = isJsonObject(stored) ? stored : {}
      return new Map(Object.entries(values))
    },
    write: (values) => attempt((to) => to.setItem(key, JSON.stringify(Object.fromEntries(values)))),
    remove: () => attempt((from) => from.removeItem(key)),
  }
}
