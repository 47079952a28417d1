import { createHash } from 'node:crypto'
import { mkdir, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { TaskRecord, TaskStore } from 'taskwire/server'
import type { Storage } from 'unstorage'

/**
 * Runs one thing at a time under a name, across all processes that share a
 * store.
 */
export type Lock = <T>(name: string, run: () => Promise<T>) => Promise<T>

/**
 * Hashes ids to names: all of one length, safe in any file system, and no
 * listing of a folder reveals an id.
 */
const nameOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** The entry that says when a task expires. */
const indexOf = ({ task, expiresAt }: TaskRecord) =>
  `index:${nameOf(task.taskId)}.${expiresAt ?? 'never'}`

/**
 * Keeps tasks in any storage for which unstorage has a driver: files, Redis, a
 * database.
 */
export class UnstorageTaskStore implements TaskStore {
  readonly #storage: Storage
  /**
   * unstorage has neither compare-and-set nor atomic writes.
   */
  readonly #lock: Lock

  constructor(storage: Storage, lock: Lock) {
    this.#storage = storage
    this.#lock = lock
  }

  create(record: TaskRecord): Promise<void> {
    const name = nameOf(record.task.taskId)
    return this.#lock(name, async () => {
      if (await this.#storage.hasItem(`task:${name}`))
        throw new Error('Failed to create a task: its id is in use.')
      // `expire()` reads only the names of these entries.
      await this.#storage.setItem(indexOf(record), 1)
      await this.#storage.setItem(`task:${name}`, record)
    })
  }

  async get(taskId: string): Promise<TaskRecord | undefined> {
    const name = nameOf(taskId)
    const record = await this.#lock(name, () =>
      this.#storage.getItem<TaskRecord>(`task:${name}`),
    )
    return record ?? undefined
  }

  transition(next: TaskRecord, expectedVersion: number): Promise<boolean> {
    const name = nameOf(next.task.taskId)
    return this.#lock(name, async () => {
      const record = await this.#storage.getItem<TaskRecord>(`task:${name}`)
      if (record?.version !== expectedVersion) return false
      await this.#storage.setItem(indexOf(next), 1)
      await this.#storage.setItem(`task:${name}`, next)
      // The server moves the expiry of a task while it works on it.
      if (next.expiresAt !== record.expiresAt)
        await this.#storage.removeItem(indexOf(record))
      return true
    })
  }

  remove(taskId: string): Promise<void> {
    const name = nameOf(taskId)
    return this.#lock(name, async () => {
      const record = await this.#storage.getItem<TaskRecord>(`task:${name}`)
      if (record === null) return
      await this.#storage.removeItem(`task:${name}`)
      await this.#storage.removeItem(indexOf(record))
    })
  }

  async expire(now: number): Promise<number | null> {
    let earliest = Number.POSITIVE_INFINITY
    for (const key of await this.#storage.getKeys('index')) {
      const [name = '', end] = key.slice(key.lastIndexOf(':') + 1).split('.')
      let expiresAt = end === 'never' ? Number.POSITIVE_INFINITY : Number(end)
      if (expiresAt <= now) expiresAt = await this.#expireEntry(key, name, now)
      earliest = Math.min(earliest, expiresAt)
    }
    return Number.isFinite(earliest) ? earliest : null
  }

  /**
   * Resolves to when the record expires if that is later: it may have changed
   * since the entries were listed.
   */
  #expireEntry(key: string, name: string, now: number): Promise<number> {
    return this.#lock(name, async () => {
      const record = await this.#storage.getItem<TaskRecord>(`task:${name}`)
      const expiresAt = record?.expiresAt ?? Number.POSITIVE_INFINITY
      if (expiresAt <= now) await this.#storage.removeItem(`task:${name}`)
      await this.#storage.removeItem(key)
      return expiresAt > now ? expiresAt : Number.POSITIVE_INFINITY
    })
  }
}

const RETRY_MS = 5
/**
 * The store holds a lock only briefly: if a lock is older than this, its
 * process has crashed.
 */
const STALE_MS = 10_000

/**
 * A lock for processes that share a disk. For Redis, use a lock built on `SET
 * ... NX PX`.
 */
export function createFileLock(folder: string): Lock {
  const lock: Lock = async (name, run) => {
    const path = join(folder, name)
    await mkdir(folder, { recursive: true })
    // If several processes make the same folder, only one of them succeeds.
    while (!(await mkdir(path).then(() => true, isTaken))) {
      if (await isStale(path)) {
        // Another process may have removed it, and taken the lock, meanwhile.
        await lock(`${name}.stale`, async () => {
          if (await isStale(path)) await rmdir(path).catch(() => {})
        })
      } else await setTimeout(RETRY_MS)
    }
    try {
      return await run()
    } finally {
      await rmdir(path).catch(() => {})
    }
  }
  return lock
}

async function isStale(path: string): Promise<boolean> {
  const since = await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now)
  return Date.now() - since > STALE_MS
}

function isTaken(error: NodeJS.ErrnoException): false {
  if (error.code === 'EEXIST') return false
  throw error
}
