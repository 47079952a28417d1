import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import { pageStorage } from '../../core/storage/pageStorage.js'
import type { TaskStorage } from '../../core/storage/taskStorage.js'
import { RECORD_PREFIX, type StoredItem } from './model/recordRow.js'

/** Reads the records that are there. */
export interface RecordReader {
  items(): readonly StoredItem[]
  /** Reads again. What is read replaces what was. */
  refresh(): void
  stop(): void
}

/** Those of the storage of the app, or else those of the page. `onRead` is called when they were read. */
export function createRecordReader(storage: TaskStorage | undefined, onRead: () => void): RecordReader {
  const page = browserEnvironment()
  const storages: [name: string, storage: TaskStorage][] =
    storage === undefined
      ? [
          ['localStorage', pageStorage('local', page)],
          ['sessionStorage', pageStorage('session', page)],
        ]
      : [['storage', storage]]
  let items: readonly StoredItem[] = []
  let isReading = false
  let isStale = false

  async function read(): Promise<void> {
    isReading = true
    do {
      isStale = false
      items = (await Promise.all(storages.map(readStorage))).flat()
    } while (isStale)
    isReading = false
    onRead()
  }

  function refresh(): void {
    isStale = true
    if (!isReading) void read()
  }

  addEventListener('storage', refresh)
  return { items: () => items, refresh, stop: () => removeEventListener('storage', refresh) }
}

/** A storage that cannot be read has no records. */
async function readStorage([name, storage]: [string, TaskStorage]): Promise<StoredItem[]> {
  try {
    const keys = [...(await storage.keys())].filter((key) => key.startsWith(RECORD_PREFIX))
    const texts = await Promise.all(keys.map((key) => storage.getItem(key)))
    return keys.flatMap((key, index) => {
      const text = texts[index]
      return typeof text === 'string' ? [{ storage: name, key, text }] : []
    })
  } catch {
    return []
  }
}
