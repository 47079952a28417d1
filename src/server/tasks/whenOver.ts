import { TaskError } from '../../core/protocol/errors.js'
import { isTerminal } from '../../core/protocol/task.js'
import type { Clock } from '../base/clock.js'
import { sleep } from '../base/sleep.js'
import type { TaskFollower } from './taskFeed.js'
import { SERVER_CLOSED } from './taskIntake.js'
import type { TaskLedger } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'

/** What it takes to wait for the end of a task. */
export interface WhenOverOptions {
  readonly ledger: Pick<TaskLedger, 'read'>
  readonly clock: Clock
  /** How often the task is read, in ms, whatever the feed says: nothing is said of a task that is gone. */
  readonly pollIntervalMs: number
  readonly follow: (taskIds: readonly string[], follower: TaskFollower) => () => void
}

/**
 * Resolves to how a task stands once it is over, in whatever process that happens; to undefined where its ttl ends before.
 * Rejects with the signal's reason, and where this server closes.
 */
export async function whenOver(
  { task, owner }: TaskRecord,
  signal: AbortSignal,
  { ledger, clock, pollIntervalMs, follow }: WhenOverOptions,
  isAnswer: (record: TaskRecord) => boolean = ({ task: { status } }) => isTerminal(status),
): Promise<TaskRecord | undefined> {
  const { taskId } = task
  for (;;) {
    const pause = new AbortController()
    const wake = () => pause.abort()
    let isClosed = false
    const onRecord = (record: TaskRecord) => {
      if (isAnswer(record)) wake()
    }
    const onClose = () => {
      isClosed = true
      wake()
    }
    // Following comes first, or a change in between would be lost.
    const unfollow = follow([taskId], { onRecord, onClose })
    signal.addEventListener('abort', wake, { once: true })
    try {
      const record = await ledger.read(taskId)
      if (record?.owner !== owner) return undefined
      if (isAnswer(record)) return record
      if (!isClosed) await sleep(clock, pollIntervalMs, pause.signal).catch(() => {})
      signal.throwIfAborted()
      if (isClosed) throw new TaskError(SERVER_CLOSED.message)
    } finally {
      unfollow()
      signal.removeEventListener('abort', wake)
    }
  }
}
