import { tabStorage } from '../../core/environment/tabStorage.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/** A storage for drafts: the part of `sessionStorage` that a form uses. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** What was typed into one form and not sent yet. Storage that throws keeps nothing. */
export interface Draft {
  read(): ReadonlyMap<string, unknown>
  write(values: ReadonlyMap<string, unknown>): void
  remove(): void
}

export function createDraft(drafts: 'session' | DraftStorage | undefined, key: string): Draft {
  function attempt<T>(use: (storage: DraftStorage) => T): T | undefined {
    if (drafts === undefined) return undefined
    try {
      return use(drafts === 'session' ? tabStorage() : drafts)
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
    write: (values) =>
      attempt((to) =>
        to.setItem(
          key,
          JSON.stringify(Object.fromEntries(values), (_, value) => value ?? null),
        ),
      ),
    remove: () => attempt((from) => from.removeItem(key)),
  }
}
