import type { WebStorage } from '../../src/core/environment/environment.js'
import { decodeCallRecord } from '../../src/core/record/codec.js'
import type { CallRecord } from '../../src/core/record/record.js'
import type { TaskStorage } from '../../src/core/storage/taskStorage.js'

/**
 * `throws`: on every use. `full`: on writing, as a quota does. `fails now and then`: on some uses. `loses writes`: says that it
 * has written what it has not, now and then. `never answers`: whatever is asked of a storage that takes its time, now and
 * then after it was done.
 */
export type StorageTrouble = 'throws' | 'full' | 'fails now and then' | 'loses writes' | 'never answers'

export interface RecordWatchOptions {
  readonly onWritten: (record: CallRecord, before: CallRecord | undefined) => void
  /** A page could not use the item of a call; undefined: it could not see which there are. */
  readonly onFailed: (callId: string | undefined) => void
  readonly random: () => number
}

/** A page that uses the storage. */
export interface RecordUser {
  isAlive(): boolean
  /** Called where this page could not read an item. */
  onUnread(): void
  /** Called with what stood in an item that this page has removed. */
  onRemoved(record: CallRecord): void
  /** Called with what this page has written to an item; with undefined where it has removed it. */
  onChanged(key: string, value: string | undefined): void
}

/** The storage of the browser, which can fail, together with what was seen in it. */
export interface RecordWatch {
  /** What a page gets as its `localStorage`. */
  webStorage(page: RecordUser): WebStorage
  /** What a page gets as a storage that takes its time. */
  asyncStorage(page: RecordUser, pause: () => Promise<void>): TaskStorage
  setTrouble(trouble: StorageTrouble | undefined): void
  records(): CallRecord[]
  /** As the user does who deletes the data of the site. Returns what was there. */
  clear(): CallRecord[]
  /** Damages one item. Returns what was there. */
  corrupt(index: number, text: string): CallRecord | undefined
}

export function createRecordWatch({ onWritten, onFailed, random }: RecordWatchOptions): RecordWatch {
  const items = new Map<string, string>()
  let trouble: StorageTrouble | undefined

  const parse = (text: string | undefined) =>
    text === undefined ? undefined : decodeCallRecord(text, Number.MAX_SAFE_INTEGER)

  /** Storage keys end in the id of the call. */
  function attempt(key: string | undefined, isWrite: boolean): void {
    if (trouble === undefined || trouble === 'loses writes' || trouble === 'never answers') return
    if ((trouble === 'full' && !isWrite) || (trouble === 'fails now and then' && random() < 0.6)) return
    onFailed(callIdOf(key))
    const error = new Error(trouble === 'full' ? 'The quota has been exceeded.' : 'The operation is insecure.')
    error.name = trouble === 'full' ? 'QuotaExceededError' : 'SecurityError'
    throw error
  }

  const callIdOf = (key: string | undefined) => key?.slice(key.lastIndexOf(':') + 1)

  function read(key: string, page: RecordUser): string | null {
    try {
      attempt(key, false)
    } catch (error) {
      page.onUnread()
      throw error
    }
    return items.get(key) ?? null
  }

  function write(key: string, value: string, page: RecordUser): void {
    attempt(key, true)
    page.onChanged(key, value)
    if (trouble === 'loses writes' && random() < 0.5) return onFailed(callIdOf(key))
    const before = parse(items.get(key))
    items.set(key, value)
    const record = parse(value)
    if (record !== undefined) onWritten(record, before)
  }

  function remove(key: string, page: RecordUser): void {
    attempt(key, false)
    page.onChanged(key, undefined)
    const record = parse(items.get(key))
    items.delete(key)
    if (record !== undefined) page.onRemoved(record)
  }

  function keys(): string[] {
    attempt(undefined, false)
    return [...items.keys()]
  }

  return {
    webStorage: (page) => ({
      get length() {
        return keys().length
      },
      key: (index) => keys()[index] ?? null,
      getItem: (key) => read(key, page),
      // What a page does after its end is never seen again.
      setItem: (key, value) => page.isAlive() && write(key, value, page),
      removeItem: (key) => page.isAlive() && remove(key, page),
    }),

    asyncStorage: (page, pause) => {
      const slowly = async <T>(key: string | undefined, action: () => T): Promise<T> => {
        const isSilent = trouble === 'never answers'
        await pause()
        if (isSilent) onFailed(callIdOf(key))
        if (!page.isAlive() || (isSilent && random() < 0.5)) await new Promise(() => {})
        const result = action()
        if (isSilent) await new Promise(() => {})
        await pause()
        return result
      }
      return {
        getItem: (key) => slowly(key, () => read(key, page)),
        setItem: (key, value) => slowly(key, () => write(key, value, page)),
        removeItem: (key) => slowly(key, () => remove(key, page)),
        keys: () => slowly(undefined, keys),
      }
    },

    setTrouble: (next) => {
      trouble = next
    },
    records: () => [...items.values()].map(parse).filter((record) => record !== undefined),
    clear: () => {
      const records = [...items.values()].map(parse).filter((record) => record !== undefined)
      items.clear()
      return records
    },
    corrupt: (index, text) => {
      const [key, value] = [...items][index % Math.max(1, items.size)] ?? []
      if (key === undefined) return undefined
      items.set(key, text)
      return parse(value)
    },
  }
}
