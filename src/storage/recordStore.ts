import { TaskStorageError } from '../protocol/errors.js'
import { hash } from './hash.js'
import { decodeTaskRecord, encodeTaskRecord, isRecordExpired, mergeTaskRecords, type TaskRecord } from './taskRecord.js'
import type { TaskStorage } from './taskStorage.js'

/** The records of one endpoint and scope. No method throws or rejects: `onError` hears of what went wrong. */
export interface RecordStore {
  /** A storage that answers synchronously has the record before this returns. */
  write(record: TaskRecord): Promise<void>
  /**
   * Writes a record over the one that another tab may have written meanwhile: what either has answered
   * counts as answered, and a task that has ended stays ended.
   */
  update(record: TaskRecord): Promise<void>
  read(callId: string): Promise<TaskRecord | undefined>
  remove(callId: string): Promise<void>
  /** Every record still of use; the others are swept. */
  list(): Promise<TaskRecord[]>
  /** Removes every record of a scope, this one by default, whatever is in it. */
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

  async function readKey(storageKey: string): Promise<TaskRecord | undefined> {
    const text = await storage.getItem(storageKey)
    const record = typeof text === 'string' ? decodeTaskRecord(text) : undefined
    const isOurs = record?.endpoint === endpoint && record.scope === scope && storageKey === prefix + record.callId
    return isOurs ? record : undefined
  }

  async function ownKeys(ownPrefix: string): Promise<string[]> {
    return [...(await storage.keys())].filter((key) => typeof key === 'string' && key.startsWith(ownPrefix))
  }

  return {
    write: (record) =>
      attempt(
        'write a task record',
        () => storage.setItem(prefix + record.callId, encodeTaskRecord(record)),
        undefined,
      ),

    update: (record) =>
      attempt(
        'update a task record',
        async () => {
          const stored = await readKey(prefix + record.callId)
          await storage.setItem(prefix + record.callId, encodeTaskRecord(mergeTaskRecords(stored, record)))
        },
        undefined,
      ),

    read: (callId) =>
      attempt(
        'read a task record',
        async () => {
          const record = await readKey(prefix + callId)
          return record === undefined || isRecordExpired(record, now()) ? undefined : record
        },
        undefined,
      ),

    remove: (callId) => attempt('remove a task record', () => storage.removeItem(prefix + callId), undefined),

    list: async () => {
      const keys = await attempt('list the task records', () => ownKeys(prefix), [])
      const records: TaskRecord[] = []
      for (const [index, key] of keys.entries()) {
        if (index % CHUNK === CHUNK - 1) await options.pause()
        const record = await attempt('read a task record', () => readKey(key), undefined)
        if (record === undefined) continue
        if (!isRecordExpired(record, now())) records.push(record)
        else await attempt('remove an expired task record', () => storage.removeItem(key), undefined)
      }
      return records.sort((a, b) => a.startedAt - b.startedAt)
    },

    clear: async (other = scope) => {
      const keys = await attempt('list the task records', () => ownKeys(scopePrefix(endpoint, other)), [])
      for (const key of keys) await attempt('remove a task record', () => storage.removeItem(key), undefined)
    },
  }
}

function scopePrefix(endpoint: string, scope: string): string {
  return `${PREFIX}${hash(JSON.stringify([endpoint, scope]))}:`
}
