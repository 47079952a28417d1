import type { TaskStorageError } from '../protocol/errors.js'
import { decodeCallRecord, encodeCallRecord } from '../record/codec.js'
import { hash } from '../record/hash.js'
import { isNewerRecord, isRecordExpired } from '../record/keep.js'
import { isSuccessor, mergeCalls } from '../record/merge.js'
import { type CallRecord, setBack } from '../record/record.js'
import { type MaybePromise, mapMaybePromise } from './keyedQueue.js'
import { MAX_RECORDS, readRecords, removeExpired } from './readRecords.js'
import { createRecordItems, type InTime } from './recordItems.js'
import type { TaskStorage } from './taskStorage.js'

/**
 * The records of one endpoint and scope. No method throws or rejects.
 *
 * ```text
 * the storage         a read                             a write
 * throws, rejects,    `onError`, and `silent`: a shared  `onError`. Later writes try again, the task is followed meanwhile (`kept:
 * is full, takes 5 s  storage is read again each second; 'refused'` in run/entries.ts), and the store is swept. Of the intent of a
 *                     of another the tabs are asked      call with a key (`beforeSend` in run/send.ts): over a shared storage it
 *                     (run/readRecord.ts, handOver.ts)   waits and tries again; else the tabs are asked whether one has made it
 * is not there        memory is used instead, in a page (pageStorage.ts)
 *
 * the text            a read                             a write
 * is not a record     as none; a tab that takes the      over it
 *                     lead waits an interval first
 * of a later version  as none                            none: the call ends with a `PageOutdatedError`. Nor is it swept
 * past its use        as none                            over it
 * `held`              the tabs that follow the task are  over it
 *                     asked (run/handOver.ts); if none
 *                     answers, it is an intent, or none
 *                     where the task had ended
 * ```
 */
export interface RecordStore {
  /** True if other processes have the storage, too. A call waits for it: without its record, each of them could make it. */
  readonly isShared: boolean
  /**
   * A storage that answers synchronously has the record before this returns. False where it could not be written, and where `mayWrite`
   * says so once the storage has told what is there; `newer` where a later version of Taskwire has recorded the call. Calls pile records
   * up, so now and then this sweeps those that are there.
   */
  write(record: CallRecord, mayWrite?: () => boolean): Promise<boolean | 'newer'>
  /**
   * Writes a record over the one that another tab may have written meanwhile: what either has answered
   * counts as answered, and a task that has ended stays ended. If the call was made again since, the
   * record is that call's and is left alone. With `isKept`, a record that is gone stays so: another tab has
   * removed it, and the message about that may not have arrived yet. A storage that answers synchronously has the
   * record before this returns. False where the record is not there now. `setBackBy`: the stored record is by a clock that
   * this page has seen set back since, by as many ms.
   */
  update(record: CallRecord, isKept?: boolean, setBackBy?: number): Promise<boolean>
  read(callId: string): Promise<CallRecord | undefined>
  /** The same; `unreadable`: there is one that cannot be read; `silent`: the storage does not say. */
  find(callId: string): Promise<CallRecord | 'unreadable' | 'silent' | undefined>
  /** True if there is a record of the call, legible or not, and if the storage does not say. */
  has(callId: string): Promise<boolean>
  /** Removes the record of a call; with `only`, unless the call was made again since. */
  remove(callId: string, only?: CallRecord): Promise<void>
  /**
   * Every record still of use; the others are swept, and the oldest ended ones where there are too many. `onWorking` is
   * called first, with those that may have to be followed, before those of ended tasks are parsed. `silent`: a storage that other
   * processes have, too, did not answer for each, so there may be more; then `onWorking` is not called.
   */
  list(onWorking?: (records: readonly CallRecord[]) => void): Promise<CallRecord[] | 'silent'>
  /** Removes every record of a scope, this one by default, whatever is in it. A synchronous storage has none before this returns. */
  clear(scope?: string): Promise<void>
}

export interface RecordStoreOptions {
  readonly storage: TaskStorage
  /** False for a storage of the app: at a backend it may have the records of all users. */
  readonly isOfPage: boolean
  readonly endpoint: string
  readonly scope: string
  readonly now: () => number
  /** Lets the page do something else before the work continues. */
  readonly pause: () => Promise<void>
  /** Rejects what takes longer than a storage may, so that a task does not wait for one that never answers. */
  readonly inTime: InTime
  readonly onError: (error: TaskStorageError) => void
}

const PREFIX = 'taskwire:1:'

/** After this time, in ms, or this many writes a write sweeps, where there are no more records than are kept. */
const SWEEP_AFTER_MS = 60_000
const SWEEP_AFTER_WRITES = 200

export function createRecordStore(options: RecordStoreOptions): RecordStore {
  const { storage, endpoint, scope, now, pause } = options
  const prefix = scopePrefix(endpoint, scope)
  const isShared = storage.replaceItem !== undefined
  let failures = 0
  const items = createRecordItems(storage, options.inTime, (error) => {
    failures += 1
    options.onError(error)
  })
  let sweptAt = Number.NEGATIVE_INFINITY
  let writesSince = 0
  /** How much longer than usual a sweep waits for the next: it reads every record, and of tasks at work there may be many. */
  let rarity = 1

  function parse(storageKey: string, text: string | null | undefined): CallRecord | undefined {
    const record = typeof text === 'string' ? decodeCallRecord(text, now()) : undefined
    const isOurs = record?.endpoint === endpoint && record.scope === scope && storageKey === prefix + record.callId
    return isOurs ? record : undefined
  }

  function isNewer(storageKey: string, text: string | null | undefined): boolean {
    return isNewerRecord(text, storageKey.slice(prefix.length))
  }

  /** Removes the item unless it is another record by now. */
  function removeOnly(key: string, only: CallRecord): MaybePromise<void> {
    const isAnother = (text: string | undefined) => isNewer(key, text) || isSuccessor(parse(key, text), only)
    return mapMaybePromise(
      items.edit('remove', key, (text) => isAnother(text) || null),
      () => {},
    )
  }

  function noteSweep(): void {
    sweptAt = now()
    writesSince = 0
  }

  async function find(callId: string): Promise<CallRecord | 'unreadable' | 'silent' | undefined> {
    const key = prefix + callId
    const read = (text: string | null | undefined) =>
      typeof text === 'string' ? (parse(key, text) ?? 'unreadable') : undefined
    const record = await items.onText<CallRecord | 'unreadable' | 'silent' | undefined>('read', key, read, 'silent')
    return typeof record === 'object' && isRecordExpired(record, now()) ? undefined : record
  }

  async function list(onWorking?: (records: readonly CallRecord[]) => void): Promise<CallRecord[] | 'silent'> {
    noteSweep()
    const failuresBefore = failures
    let isSilent = false
    const keys = await items.onKeys<readonly string[]>(prefix, (own) => own, [])
    // By then every text has been read, or could not be.
    const onRead = (working: readonly CallRecord[]) => {
      isSilent = isShared && failures > failuresBefore
      if (!isSilent) onWorking?.(working)
    }
    const options = { onText: items.onText, parse, removeOnly, now, pause, onWorking: onWorking && onRead }
    const records = await readRecords(keys, options)
    rarity = Math.max(1, records.length / MAX_RECORDS)
    return isSilent ? 'silent' : records
  }

  /** Runs after the call was sent. It includes other servers and scopes, because their clients may never be opened again. */
  async function sweep(): Promise<void> {
    await list()
    if (options.isOfPage)
      await items.onKeys(PREFIX, (keys) => removeExpired(keys, prefix, { edit: items.edit, now, pause }), undefined)
  }

  return {
    isShared,

    write: async (record, mayWrite = () => true) => {
      const key = prefix + record.callId
      let isNewerThere = false
      const written = await items.edit('write', key, (text) => {
        isNewerThere = isNewer(key, text)
        // Another process may have made the same task of the call, and know more of it.
        return !isNewerThere && mayWrite() && encodeCallRecord(mergeCalls(parse(key, text), record))
      })
      writesSince += 1
      const waited = Math.max(Math.abs(now() - sweptAt) / SWEEP_AFTER_MS, writesSince / SWEEP_AFTER_WRITES)
      // Also where there was no room for it.
      if (waited >= rarity) {
        noteSweep()
        void pause().then(sweep)
      }
      return isNewerThere ? 'newer' : written
    },

    update: async (record, isKept = false, setBackBy = 0) => {
      const key = prefix + record.callId
      return items.edit('update', key, (text) => {
        if (isKept && text === undefined) return false
        const stored = parse(key, text)
        if (isNewer(key, text) || isSuccessor(stored, record)) return true
        return encodeCallRecord(mergeCalls(setBackStored(stored, record, setBackBy), record))
      })
    },

    read: (callId) => find(callId).then((record) => (typeof record === 'string' ? undefined : record)),

    find,

    has: async (callId) => items.onText('read', prefix + callId, (text) => typeof text === 'string', true),

    remove: async (callId, only) => (only ? removeOnly(prefix + callId, only) : items.remove(prefix + callId)),

    list,

    clear: async (other = scope) => {
      const removeAll = async (keys: readonly string[]) => void (await Promise.all(keys.map(items.remove)))
      return items.onKeys(scopePrefix(endpoint, other), removeAll, undefined)
    },
  }
}

/**
 * The stored record by a clock that was set back, unless another page has moved it already. When the task was received
 * tells: every page that has not seen the clock move has the same time.
 */
function setBackStored(stored: CallRecord | undefined, { task }: CallRecord, by: number): CallRecord | undefined {
  if (stored?.task === undefined || task === undefined) return stored
  const ahead = stored.task.receivedAt - task.receivedAt
  const isOfOldClock = ahead === by || stored.task.here.wasAhead
  return isOfOldClock && ahead > 0 ? { ...stored, task: setBack(stored.task, ahead) } : stored
}

/** How the names of the records of a scope begin. */
export function scopePrefix(endpoint: string, scope: string): string {
  return `${PREFIX}${hash(JSON.stringify([endpoint, scope]))}:`
}
