import { TaskExpiredError, ToolCallInterruptedError } from '../protocol/errors.js'
import { isTerminal, type Task } from '../protocol/task.js'
import type { RecordStore } from '../storage/recordStore.js'
import { recordedTask, recordSnapshot, type TaskRecord, type TaskRecordTask } from '../storage/taskRecord.js'
import { type PollPolicy, pollInterval } from './pollPolicy.js'

/** What is known of one call, in memory and in its record. */
export interface CallJournal {
  readonly record: TaskRecord
  /** The newest snapshot. */
  readonly latest: Task | undefined
  /** When the task may be polled next, ms since the epoch. */
  nextPollAt: number
  /** Goes on with the record that another page has left. */
  takeUp(left: TaskRecord): void
  /** The `tools/call` is about to go out. */
  writeIntent(): Promise<void>
  /** The `tools/call` was answered by a task. A synchronous storage has it before this returns. */
  writeTask(task: Task, era: TaskRecord['era']): Promise<void>
  note(snapshot: Task): void
  isAnswered(inputKey: string): boolean
  noteAnswered(inputKey: string): Promise<void>
  noteCancelling(isCancelling: boolean): Promise<void>
  /** Writes down what has changed since. */
  flush(): Promise<void>
  /** The call has come to this end. A record stays as long as it can still lead to the outcome, or has to say that there is none. */
  close(error: unknown): Promise<void>
  /** Writes nothing any more, and leaves the record as it is. */
  abandon(): void
}

export interface CallJournalOptions {
  readonly record: TaskRecord
  readonly records: Pick<RecordStore, 'write' | 'update' | 'remove'>
  readonly now: () => number
  readonly policy: PollPolicy
}

export function createCallJournal({ records, now, policy, ...options }: CallJournalOptions): CallJournal {
  let record = options.record
  let latest = record.task && recordedTask(record.task)
  let nextPollAt = resumeAt(record.task)
  /** A record that is gone, forgotten or expired, must not come back. */
  let isClosed = false

  /** The recorded time, or at once where there is none; no further away than it can have been by a clock that was right. */
  function resumeAt(task: TaskRecordTask | undefined): number {
    const longest = Math.max(pollInterval(task?.pollIntervalMs, policy), policy.maxMs)
    return Math.min(task?.nextPollAt ?? now(), now() + longest)
  }

  function update(changes: Partial<TaskRecordTask> = {}): Promise<void> {
    if (record.task === undefined || isClosed) return Promise.resolve()
    record = { ...record, task: { ...record.task, ...(latest && recordSnapshot(latest)), nextPollAt, ...changes } }
    return records.update(record)
  }

  return {
    get record() {
      return record
    },
    get latest() {
      return latest
    },
    get nextPollAt() {
      return nextPollAt
    },
    set nextPollAt(at) {
      nextPollAt = at
    },
    takeUp: (left) => {
      record = left
      latest = left.task && recordedTask(left.task)
      nextPollAt = resumeAt(left.task)
    },
    writeIntent: () => records.write(record),
    writeTask: (task, era) => {
      latest = task
      // Born terminal, its result can be fetched; else the first poll is one interval away.
      nextPollAt = isTerminal(task.status) ? now() : now() + pollInterval(task.pollIntervalMs, policy)
      const created = { ...recordSnapshot(task), receivedAt: now(), nextPollAt, answered: [], isCancelling: false }
      record = { ...record, era, task: created }
      return isClosed ? Promise.resolve() : records.write(record)
    },
    note: (snapshot) => {
      latest = snapshot
    },
    isAnswered: (inputKey) => record.task?.answered.includes(inputKey) ?? false,
    noteAnswered: (inputKey) => update({ answered: [...new Set(record.task?.answered).add(inputKey)] }),
    noteCancelling: (isCancelling) => update({ isCancelling }),
    flush: () => update(),
    close: async (error) => {
      const keeps =
        record.task === undefined ? error instanceof ToolCallInterruptedError : !(error instanceof TaskExpiredError)
      await (keeps ? update() : records.remove(record.callId))
      isClosed = true
    },
    abandon: () => {
      isClosed = true
    },
  }
}
