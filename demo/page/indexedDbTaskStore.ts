import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { TaskRecord, TaskStore } from 'taskwire/server'

/** A record, and what of it is looked for. What an index does not know, such as the end of what never ends, is left out. */
interface Row {
  readonly taskId: string
  readonly record: TaskRecord
  readonly expiresAt?: number
  /** When the work counts as lost, while it goes on. */
  readonly lapsesAt?: number
  /** Whose task it is, while it is not over. */
  readonly atWorkOf?: string
}

interface Schema extends DBSchema {
  tasks: { key: string; value: Row; indexes: { expiresAt: number; lapsesAt: number; atWorkOf: string } }
}

/** Without waiting for the disk: tasks of a demo need to outlive pages, not power cuts. */
const RELAXED: IDBTransactionOptions = { durability: 'relaxed' }

/** Told to everybody who has the same store open. */
interface Change {
  readonly taskId: string
  readonly version: number
}

/**
 * Keeps tasks in IndexedDB: compare-and-set by transactions, and changes are told over a BroadcastChannel. Every page and
 * worker of an origin may have the same store open.
 *
 * @param name of the database and of the channel
 * @throws what the browser says where it has no IndexedDB, as in some private windows.
 */
export async function openIndexedDbTaskStore(
  name: string,
): Promise<Required<Omit<TaskStore, 'createUnlessFull' | 'list'>>> {
  const database = await openDB<Schema>(name, 1, {
    upgrade(opened) {
      const tasks = opened.createObjectStore('tasks', { keyPath: 'taskId' })
      for (const index of ['expiresAt', 'lapsesAt', 'atWorkOf'] as const) tasks.createIndex(index, index)
    },
  })
  return storeOver(database, new BroadcastChannel(name))
}

function storeOver(
  database: IDBPDatabase<Schema>,
  channel: BroadcastChannel,
): Required<Omit<TaskStore, 'createUnlessFull' | 'list'>> {
  const listeners = new Set<(taskId?: string, version?: number) => void>()
  channel.onmessage = ({ data }: MessageEvent<Change>) => tell(data)

  function tell({ taskId, version }: Change): void {
    for (const listener of listeners) listener(taskId, version)
  }

  /** Puts a record in the place of the one of this version; undefined: where there is none. */
  async function put(next: TaskRecord, expectedVersion: number | undefined): Promise<boolean> {
    const { taskId } = next.task
    const transaction = database.transaction('tasks', 'readwrite', RELAXED)
    const before = await transaction.store.get(taskId)
    const isExpected = before?.record.version === expectedVersion
    if (isExpected) await transaction.store.put(rowOf(next))
    await transaction.done
    if (!isExpected) return false
    const change: Change = { taskId, version: next.version }
    // A channel does not hear itself.
    channel.postMessage(change)
    tell(change)
    return true
  }

  return {
    isShared: true,

    async create(record) {
      if (!(await put(record, undefined))) throw new TypeError('Failed to create a task: its id is in use.')
    },

    get: async (taskId) => (await database.get('tasks', taskId))?.record,

    transition: put,

    async expire(now) {
      const transaction = database.transaction('tasks', 'readwrite', RELAXED)
      const expired = await transaction.store.index('expiresAt').getAllKeys(IDBKeyRange.upperBound(now))
      await Promise.all(expired.map((taskId) => transaction.store.delete(taskId)))
      const next = await transaction.store.index('expiresAt').get(IDBKeyRange.lowerBound(now))
      await transaction.done
      return next?.expiresAt ?? null
    },

    remove: (taskId) => database.delete('tasks', taskId),

    countAtWork: (owner) => database.countFromIndex('tasks', 'atWorkOf', owner),

    lapsed: (now, limit) => database.getAllKeysFromIndex('tasks', 'lapsesAt', IDBKeyRange.upperBound(now), limit),

    watch(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }
}

const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

function rowOf(record: TaskRecord): Row {
  const { task, expiresAt, lease, owner } = record
  return {
    taskId: task.taskId,
    record,
    ...(expiresAt !== null && { expiresAt }),
    ...(!OVER.has(task.status) && { atWorkOf: owner, ...(lease && { lapsesAt: lease.until }) }),
  }
}
