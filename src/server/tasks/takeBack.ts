import { type Backoff, createBackoff } from '../base/backoff.js'
import { type Clock, unrefTimer } from '../base/clock.js'
import { isCreatedHere } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskStore } from './taskStore.js'

/** What taking back needs. */
export interface TakeBackOptions {
  readonly store: Pick<TaskStore, 'get' | 'remove'>
  readonly clock: Clock
  /** True once it is not to be tried again. */
  readonly isClosed: () => boolean
}

/**
 * Removes a record whose creation was not confirmed, if it is there all the same; tried until the store answers. Never rejects.
 *
 * ```
 * client   calls                        503           calls again: another task, which is worked on
 * server        creates ... no answer        removes
 * store                 has it                 has none
 * ```
 *
 * The client was told to send the call again. That call would find the record, and be answered with a task that nobody works on.
 */
export async function takeBack(record: TaskRecord, options: TakeBackOptions, pauses?: Backoff): Promise<void> {
  const { store, clock, isClosed } = options
  const { taskId } = record.task
  try {
    const known = await store.get(taskId)
    if (known !== undefined && isCreatedHere(known, record)) await store.remove(taskId)
  } catch {
    // That the store is out of reach was reported with the refusal.
    if (isClosed()) return
    const next = pauses ?? createBackoff()
    unrefTimer(clock.setTimeout(() => void takeBack(record, options, next), next.next(clock.now())))
  }
}
