import type { Clock } from './clock.js'
import type { TaskRecord } from './taskRecord.js'
import { reduceTask, type TaskEvent } from './taskReducer.js'
import type { TaskStore } from './taskStore.js'

/** The one way to the store: what is expired is not there, and what happens, happens in some order. */
export interface TaskLedger {
  create(record: TaskRecord): Promise<void>
  read(taskId: string): Promise<TaskRecord | undefined>
  /** The record after the event, or undefined where there is none (any more). */
  apply(taskId: string, event: TaskEvent): Promise<TaskRecord | undefined>
  list(owner: string): Promise<readonly TaskRecord[]>
}

/** What a {@link TaskLedger} is made of. */
export interface TaskLedgerOptions {
  store: TaskStore
  clock: Clock
  /** Hears of every new state of a task that this process wrote or read: the place to push from. */
  onRecord: (record: TaskRecord) => void
}

/** Reads and changes tasks by compare-and-set, so that of two racing outcomes the first one stands. */
export function createTaskLedger({ store, clock, onRecord }: TaskLedgerOptions): TaskLedger {
  const isLive = (record: TaskRecord) => record.expiresAt === null || clock.now() < record.expiresAt

  async function read(taskId: string): Promise<TaskRecord | undefined> {
    const record = await store.get(taskId)
    return record !== undefined && isLive(record) ? record : undefined
  }

  return {
    async create(record) {
      await store.create(record)
      onRecord(record)
    },

    async read(taskId) {
      const record = await read(taskId)
      // Another process may have taken an answer or a cancellation for work that runs here.
      if (record !== undefined) onRecord(record)
      return record
    },

    async apply(taskId, event) {
      for (;;) {
        const record = await read(taskId)
        if (record === undefined) return undefined
        const next = reduceTask(record, event, clock.now())
        if (next === record) return record
        if (await store.transition(next, record.version)) {
          onRecord(next)
          return next
        }
      }
    },

    async list(owner) {
      return (await store.list(owner)).filter(isLive)
    },
  }
}
