import { TaskStorageError } from '../protocol/errors.js'
import { hash } from './hash.js'
import {
  decodeTaskRecord,
  encodeTaskRecord,
  isRecordExpired,
  isSuccessor,
  mergeTaskRecords,
  type TaskRecord,
} from './taskRecord.js'
import type { TaskStorage } from './taskStorage.js'
import { type Awaitable, andThen, createTurns } from './turns.js'

/** The records of one endpoint and scope. No method throws or rejects: `onError` hears of what went wrong. */
export interface RecordStore {
  /** A storage that answers synchronously has the record before this returns. False where it could not be written. */
  write(record: TaskRecord): Promise<boolean>
  /**
   * Writes a record over the one that another tab may have written meanwhile: what either has answered
   * counts as answered, and a task that has ended stays ended. Where the call was made anew since, the
   * record is that call's and is left alone. With `isKept`, a record that is gone stays so: another tab has
   * removed it, and word of that may not have come yet. A storage that answers synchronously has the record
   * before this returns. False where the record is not there now.
   */
  update(record: TaskRecord, isKept?: boolean): Promise<boolean>
  read(callId: string): Promise<TaskRecord | undefined>
  /** Whether there is a record of the call, legible or not; true also where the storage does not say. */
  has(callId: string): Promise<boolean>
  /** Removes the record of a call; with `only`, unless the call was made anew since. */
  remove(callId: string, only?: TaskRecord): Promise<void>
  /** Every record still of use; the others are swept. */
  list(): Promise<TaskRecord[]>
  /** Removes every record of a scope, this one by default, whatever is in it. A synchronous storage has none before this returns. */
  clear(scope?: string): Promise<void>
}

export interface RecordStoreOptions {
  readonly storage: TaskStorage
  readonly endpoint: string
  readonly scope: string
  readonly now: () => number
  /** Lets the page do something else before the work goes on. */
  readonly pause: () => Promise<void>
  readonly onError: (error: TaskStorageError) => void
}

const PREFIX = 'taskwire:1:'

/** Records looked at in one go: what years of visits have left must not hold the page up when it starts. */
const CHUNK = 100

export function createRecordStore(options: RecordStoreOptions): RecordStore {
  const { storage, endpoint, scope, now } = options
  const prefix = scopePrefix(endpoint, scope)
  const inTurn = createTurns()

  async function attempt<T>(what: string, action: () => T | Promise<T>, otherwise: T): Promise<T> {
    try {
      return await action()
    } catch (cause) {
      options.onError(
        new TaskStorageError(`Failed to ${what}. Tasks go on, but a reload may not find them.`, { cause }),
      )
      return otherwise
    }
  }

  function parse(storageKey: string, text: string | null | undefined): TaskRecord | undefined {
    const record = typeof text === 'string' ? decodeTaskRecord(text) : undefined
    const isOurs = record?.endpoint === endpoint && record.scope === scope && storageKey === prefix + record.callId
    return isOurs ? record : undefined
  }

  function readKey(storageKey: string): Awaitable<TaskRecord | undefined> {
    return andThen(storage.getItem(storageKey), (text) => parse(storageKey, text))
  }

  function ownKeys(ownPrefix: string): Awaitable<string[]> {
    const isOwn = (key: string) => typeof key === 'string' && key.startsWith(ownPrefix)
    return andThen(storage.keys(), (keys) => [...keys].filter(isOwn))
  }

  /** An operation on one item, after those under way on it. */
  function onItem<T>(what: string, key: string, action: () => Awaitable<T>, otherwise: T): Promise<T> {
    return attempt(`${what} a task record`, () => inTurn(key, action), otherwise)
  }

  function removeKey(key: string): Promise<void> {
    return onItem('remove', key, () => storage.removeItem(key), undefined)
  }

  return {
    write: (record) => {
      const key = prefix + record.callId
      const write = () => andThen(storage.setItem(key, encodeTaskRecord(record)), () => true)
      return onItem('write', key, write, false)
    },

    update: (record, isKept = false) => {
      const key = prefix + record.callId
      const write = (stored: TaskRecord | undefined): Awaitable<boolean> => {
        if (isSuccessor(stored, record)) return true
        return andThen(storage.setItem(key, encodeTaskRecord(mergeTaskRecords(stored, record))), () => true)
      }
      const isGone = (text: string | null | undefined) => isKept && typeof text !== 'string'
      const update = () => andThen(storage.getItem(key), (text) => !isGone(text) && write(parse(key, text)))
      return onItem('update', key, update, false)
    },

    read: async (callId) => {
      const key = prefix + callId
      const record = await onItem('read', key, () => readKey(key), undefined)
      return record === undefined || isRecordExpired(record, now()) ? undefined : record
    },

    has: (callId) => {
      const key = prefix + callId
      const has = () => andThen(storage.getItem(key), (text) => typeof text === 'string')
      return onItem('read', key, has, true)
    },

    remove: (callId, only) => {
      const key = prefix + callId
      const remove = (stored?: TaskRecord) =>
        only !== undefined && isSuccessor(stored, only) ? undefined : storage.removeItem(key)
      return onItem('remove', key, () => andThen(only && readKey(key), remove), undefined)
    },

    list: async () => {
      const keys = await attempt('list the task records', () => ownKeys(prefix), [])
      const records: TaskRecord[] = []
      for (const [index, key] of keys.entries()) {
        if (index % CHUNK === CHUNK - 1) await options.pause()
        const record = await onItem('read', key, () => readKey(key), undefined)
        if (record === undefined) continue
        if (!isRecordExpired(record, now())) records.push(record)
        else await removeKey(key)
      }
      return records.sort((a, b) => a.startedAt - b.startedAt)
    },

    clear: (other = scope) => {
      const removeAll = async (keys: readonly string[]) => void (await Promise.all(keys.map(removeKey)))
      return attempt(
        'list the task records',
        () => andThen(ownKeys(scopePrefix(endpoint, other)), removeAll),
        undefined,
      )
    },
  }
}

function scopePrefix(endpoint: string, scope: string): string {
  return `${PREFIX}${hash(JSON.stringify([endpoint, scope]))}:`
}
