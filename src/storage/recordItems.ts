import { TaskStorageError } from '../protocol/errors.js'
import { createKeyedQueue, type MaybePromise, mapMaybePromise } from './keyedQueue.js'
import type { TaskStorage } from './taskStorage.js'

/** The items of a storage, one operation on each at a time. No method throws or rejects. */
export interface RecordItems {
  /** Uses the text of an item, after the operations under way on it. `what` is done to a record, for the error. */
  onText<T>(
    what: string,
    key: string,
    use: (text: string | null | undefined) => MaybePromise<T>,
    otherwise: T,
  ): Promise<T>
  /** Uses the keys that begin with the prefix. */
  onKeys<T>(prefix: string, use: (keys: readonly string[]) => MaybePromise<T>, otherwise: T): Promise<T>
  remove(key: string): Promise<void>
}

export function createRecordItems(storage: TaskStorage, onError: (error: TaskStorageError) => void): RecordItems {
  const enqueue = createKeyedQueue()

  async function attempt<T>(what: string, action: () => MaybePromise<T>, otherwise: T): Promise<T> {
    try {
      return await action()
    } catch (cause) {
      onError(new TaskStorageError(`Failed to ${what}. Tasks go on, but a reload may not find them.`, { cause }))
      return otherwise
    }
  }

  /** An operation on one item, after those under way on it. */
  function onItem<T>(what: string, key: string, action: () => MaybePromise<T>, otherwise: T): Promise<T> {
    return attempt(`${what} a task record`, () => enqueue(key, action), otherwise)
  }

  return {
    onText: (what, key, use, otherwise) =>
      onItem(what, key, () => mapMaybePromise(storage.getItem(key), use), otherwise),
    onKeys: (prefix, use, otherwise) => {
      const isOwn = (key: string) => typeof key === 'string' && key.startsWith(prefix)
      return attempt(
        'list the task records',
        () => mapMaybePromise(storage.keys(), (keys) => use([...keys].filter(isOwn))),
        otherwise,
      )
    },
    remove: (key) => onItem('remove', key, () => storage.removeItem(key), undefined),
  }
}
