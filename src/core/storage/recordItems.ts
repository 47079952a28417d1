import { TaskStorageError } from '../protocol/errors.js'
import { createKeyedQueue, isPromise, type MaybePromise, mapMaybePromise } from './keyedQueue.js'
import type { TaskStorage } from './taskStorage.js'

/** The items of a storage, one operation on each at a time. No method throws or rejects; what a synchronous storage answers is there at once. */
export interface RecordItems {
  /** Uses the text of an item, after the operations under way on it. `what` is done to a record, for the error. */
  onText<T>(
    what: string,
    key: string,
    use: (text: string | null | undefined) => MaybePromise<T>,
    otherwise: T,
  ): MaybePromise<T>
  /**
   * Writes what `next` makes of the text of an item, removes the item where that is `null`, and leaves it where that is a boolean. True
   * where it was changed, else that boolean; false where that has failed. If another process has changed the item meanwhile, `next` is
   * called again.
   */
  edit(what: string, key: string, next: (text: string | undefined) => string | boolean | null): MaybePromise<boolean>
  /** Uses the keys that begin with the prefix. */
  onKeys<T>(prefix: string, use: (keys: readonly string[]) => MaybePromise<T>, otherwise: T): MaybePromise<T>
  remove(key: string): MaybePromise<void>
}

/** Why a request to the storage was given up. */
export class StorageSilentError extends Error {}

/** The same promise, or one that rejects where it takes too long. */
export type InTime = <T>(pending: Promise<T>) => Promise<T>

export function createRecordItems(
  storage: TaskStorage,
  inTime: InTime,
  onError: (error: TaskStorageError) => void,
): RecordItems {
  const enqueue = createKeyedQueue()
  const limited = <T>(value: MaybePromise<T>): MaybePromise<T> => (isPromise(value) ? inTime(value) : value)

  function attempt<T>(what: string, action: () => MaybePromise<T>, otherwise: T): MaybePromise<T> {
    const fail = (cause: unknown): T => {
      const why = cause instanceof StorageSilentError ? `: ${cause.message}` : '.'
      onError(
        new TaskStorageError(`Failed to ${what}${why} Tasks keep running, but a reload may not find them.`, { cause }),
      )
      return otherwise
    }
    try {
      const done = action()
      return isPromise(done) ? done.then((value) => value, fail) : done
    } catch (cause) {
      return fail(cause)
    }
  }

  /** An operation on one item, after those under way on it. */
  function onItem<T>(what: string, key: string, action: () => MaybePromise<T>, otherwise: T): MaybePromise<T> {
    return attempt(`${what} a task record`, () => enqueue(key, () => limited(action())), otherwise)
  }

  function edit(key: string, next: Parameters<RecordItems['edit']>[2]): MaybePromise<boolean> {
    return mapMaybePromise(storage.getItem(key), (text) => {
      const before = text ?? undefined
      const after = next(before)
      if (typeof after === 'boolean') return after
      if (storage.replaceItem !== undefined)
        return mapMaybePromise(
          storage.replaceItem(key, before, after ?? undefined),
          (isReplaced) => isReplaced || edit(key, next),
        )
      return mapMaybePromise(after === null ? storage.removeItem(key) : storage.setItem(key, after), () => true)
    })
  }

  return {
    onText: (what, key, use, otherwise) =>
      onItem(what, key, () => mapMaybePromise(storage.getItem(key), use), otherwise),
    onKeys: (prefix, use, otherwise) => {
      const isOwn = (key: string) => typeof key === 'string' && key.startsWith(prefix)
      return attempt(
        'list the task records',
        () => mapMaybePromise(limited(storage.keys(prefix)), (keys) => use([...keys].filter(isOwn))),
        otherwise,
      )
    },
    edit: (what, key, next) => onItem(what, key, () => edit(key, next), false),
    remove: (key) => onItem('remove', key, () => storage.removeItem(key), undefined),
  }
}
