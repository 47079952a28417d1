import { TaskStorageError } from '../../core/protocol/errors.js'
import { toJson } from '../../core/protocol/json.js'
import { isTerminal } from '../../core/protocol/task.js'
import { canonicalJson } from '../base/canonicalJson.js'
import type { Clock } from '../base/clock.js'
import { createKeyedQueue } from '../base/keyedQueue.js'
import type { NotifyServer } from '../base/taskServerEvents.js'
import { changeOf } from './taskChanges.js'
import { RECORD_FORMAT, type TaskRecord } from './taskRecord.js'
import { reduceTask, type TaskEvent } from './taskReducer.js'
import type { TaskStore } from './taskStore.js'
import { isUnwritten } from './unwritten.js'

/** The one way to the store: what is expired is not there, and what happens, happens in some order. */
export interface TaskLedger {
  /** The record as it was created; undefined where the store counts, and the owner has as many. Rejects where there is one of that id. */
  create(record: TaskRecord, maxAtWork?: number): Promise<TaskRecord | undefined>
  read(taskId: string): Promise<TaskRecord | undefined>
  /**
   * The record after the event, or undefined if there is no record, or no longer one.
   *
   * @throws {TaskStorageError} if other processes are faster every time.
   */
  apply(taskId: string, event: TaskEvent): Promise<TaskRecord | undefined>
}

/** What a {@link TaskLedger} is made of. */
export interface TaskLedgerOptions {
  store: TaskStore
  clock: Clock
  /** The newest state that this process knows of a task it works on: what a change is tried on before the store is read. */
  known?: (taskId: string) => TaskRecord | undefined
  /** Whether a task is there also past its time. @default none is */
  isKept?: (record: TaskRecord) => boolean
  /** Called with every new state of a task that this process wrote or read: the place to push from. */
  onRecord: (record: TaskRecord) => void
  /** Called with every task that this process has ended; `apply` waits for it. Never rejects. */
  onEnded: (record: TaskRecord) => Promise<void>
  /** Called with every change that this process has made. */
  notify: NotifyServer
}

/** Together with the pauses in between, a second at most. */
const MAX_ATTEMPTS = 10

/** Reads and changes tasks by compare-and-set, so that of two racing outcomes the first one stands. */
export function createTaskLedger(options: TaskLedgerOptions): TaskLedger {
  const { store, clock, known, isKept, onRecord, onEnded, notify } = options
  const oneByOne = createKeyedQueue()
  const isLive = (record: TaskRecord) =>
    record.expiresAt === null || clock.now() < record.expiresAt || isKept?.(record) === true

  async function read(taskId: string): Promise<TaskRecord | undefined> {
    const record = await store.get(taskId)
    if (record !== undefined && record.format > RECORD_FORMAT) throw laterFormat()
    return record !== undefined && isLive(record) ? record : undefined
  }

  function tell(before: TaskRecord | undefined, after: TaskRecord, event?: TaskEvent): void {
    const change = changeOf(before, after, event)
    if (change !== undefined) notify(change)
  }

  /** What the first attempt need not read. That an event changes nothing is certain only of what the store has. */
  function guessOf(taskId: string, event: TaskEvent): TaskRecord | undefined {
    const guess = known?.(taskId)
    if (guess === undefined || !isLive(guess)) return undefined
    return reduceTask(guess, event, clock.now()) === guess ? undefined : guess
  }

  async function change(taskId: string, event: TaskEvent): Promise<TaskRecord | undefined> {
    let guess = guessOf(taskId, event)
    let refused: RefusedWrite | undefined
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const record = guess ?? (await readAfter(taskId, refused))
      guess = undefined
      if (record === undefined) return undefined
      if (refused !== undefined && isSameRecord(record, refused.next)) return written(refused.before, record, event)
      if (refused?.before.version === record.version && 'error' in refused) throw refused.error
      const next = reduceTask(record, event, clock.now())
      if (next === record) return record
      refused = await write(record, next)
      if (refused === undefined) return written(record, next, event)
      if ('error' in refused) continue
      notify({ type: 'store-conflict' })
      await pauseAfter(attempt)
    }
    throw new TaskStorageError(
      `Failed to change a task: the store has refused it ${MAX_ATTEMPTS} times. ` +
        'Check that its `transition` compares versions as numbers.',
    )
  }

  /** Undefined where the store has confirmed the write. What it has refused may be there all the same: only the answer was lost. */
  async function write(before: TaskRecord, next: TaskRecord): Promise<RefusedWrite | undefined> {
    try {
      return (await store.transition(next, before.version, before)) ? undefined : { before, next }
    } catch (error) {
      if (isUnwritten(error)) throw error
      return { before, next, error }
    }
  }

  /** Where the store cannot be read either, the error of the write says more. */
  async function readAfter(taskId: string, refused: RefusedWrite | undefined): Promise<TaskRecord | undefined> {
    if (refused === undefined || !('error' in refused)) return read(taskId)
    return read(taskId).catch(() => Promise.reject(refused.error))
  }

  async function written(before: TaskRecord, after: TaskRecord, event: TaskEvent): Promise<TaskRecord> {
    onRecord(after)
    tell(before, after, event)
    if (isTerminal(after.task.status) && !isTerminal(before.task.status)) await onEnded(after)
    return after
  }

  /** What is past its time is there no more, even where the store has not removed it yet. */
  async function createOrReplace(record: TaskRecord, maxAtWork: number): Promise<TaskRecord | undefined> {
    try {
      if (store.createUnlessFull === undefined) await store.create(record)
      else if (!(await store.createUnlessFull(record, maxAtWork))) return undefined
      return record
    } catch (error) {
      // The error of a read says nothing of the write.
      const look = () => store.get(record.task.taskId).catch(() => undefined)
      const known = await look()
      if (known !== undefined && isCreatedHere(known, record)) return known
      if (known === undefined || isLive(known)) throw error
      const next = { ...record, version: known.version + 1 }
      if ((await write(known, next)) === undefined) return next
      const after = await look()
      if (after !== undefined && isCreatedHere(after, next)) return after
      throw error
    }
  }

  /** After the first attempt there is none: most often another process was faster just once. */
  async function pauseAfter(attempt: number): Promise<void> {
    if (attempt === 1 || attempt === MAX_ATTEMPTS) return
    const ms = 2 ** attempt * (0.5 + Math.random() / 2)
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ms))
  }

  return {
    async create(record, maxAtWork = Number.MAX_SAFE_INTEGER) {
      const created = await createOrReplace(record, maxAtWork)
      if (created === undefined) return undefined
      onRecord(created)
      tell(undefined, created)
      return created
    },

    async read(taskId) {
      const record = await read(taskId)
      // Another process may have taken a response or a cancellation for work that runs here.
      if (record !== undefined) onRecord(record)
      return record
    },

    // One by one: changes of one process must not make each other start again.
    apply: (taskId, event) => oneByOne(taskId, () => change(taskId, event)),
  }
}

/** A write that the store has not confirmed. */
interface RefusedWrite {
  readonly before: TaskRecord
  readonly next: TaskRecord
  /** What the store has thrown; absent where it has found another version. */
  readonly error?: unknown
}

/**
 * True if the store has a record because it was created here, and only the answer was lost. Claims are drawn at random, also where a
 * creation is tried again. Without a claim, another call with the same key may have made the same record in the same moment.
 */
export function isCreatedHere(known: TaskRecord, record: TaskRecord): boolean {
  const { lease, repetition, version } = record
  if (lease !== undefined && lease.worker !== '')
    return known.version === version && known.lease?.worker === lease.worker
  return repetition === undefined && isSameRecord(known, record)
}

/** True if the store has what was written to it, as JSON. */
function isSameRecord(known: TaskRecord, written: TaskRecord): boolean {
  return known.version === written.version && canonicalJson(known) === canonicalJson(toJson(written))
}

/** This process would misread the record, so it leaves the task alone. */
function laterFormat(): TaskStorageError {
  return new TaskStorageError(
    'Failed to read a task: a later version of taskwire has written it. Deploy that version here, too.',
  )
}
