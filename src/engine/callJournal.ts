import {
  TaskCancelledError,
  TaskExpiredError,
  TaskProtocolError,
  ToolCallInterruptedError,
} from '../protocol/errors.js'
import { isTerminal, type Task } from '../protocol/task.js'
import type { RecordStore } from '../storage/recordStore.js'
import {
  LONGEST_WAIT_MS,
  recordedTask,
  recordSnapshot,
  type TaskRecord,
  type TaskRecordTask,
} from '../storage/taskRecord.js'
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
  /** When other pages have noted that the task may be polled next, ms since the epoch. */
  readNextPollAt(): Promise<number | undefined>
  note(snapshot: Task): void
  /** Whether the task is the one of the call: that may have been made anew since. */
  isCurrent(taskId: string): boolean
  isAnswered(inputKey: string): boolean
  noteAnswered(taskId: string, inputKey: string): Promise<void>
  noteCancelling(taskId: string, isCancelling: boolean): Promise<void>
  /** Takes note of what another tab has done, and has recorded where they share a storage. */
  hear(told: { readonly answered: string } | { readonly isCancelling: boolean }): Promise<void>
  /** Writes down what has changed since: this page may be away for long, or for good. */
  flush(): Promise<void>
  /** Whether there was a record and it is gone: the call was forgotten while this page was away. */
  wasTakenAway(): Promise<boolean>
  /** The call has come to this end. A record stays as long as it can still lead to the outcome, or has to say that there is none. */
  close(error: unknown, era: TaskRecord['era']): Promise<void>
  /** Writes nothing any more, and leaves the record as it is. */
  abandon(): void
}

export interface CallJournalOptions {
  readonly record: TaskRecord
  readonly records: Pick<RecordStore, 'write' | 'update' | 'read' | 'has' | 'remove'>
  readonly now: () => number
  readonly policy: PollPolicy
}

export function createCallJournal({ records, now, policy, ...options }: CallJournalOptions): CallJournal {
  let record = options.record
  let latest = record.task && recordedTask(record.task)
  let latestAt = record.task?.snapshotAt
  let nextPollAt = resumeAt(record.task)
  /** A record that is gone, forgotten or expired, must not come back. */
  let isClosed = false
  /** Whether the `tools/call` may have reached the server. */
  let isSent = false
  /** Whether this page or another one has written the record: where it is gone, it is not written again. */
  let isWritten = record.task !== undefined
  /** Whether this page has found it in its storage. */
  let isSeen = false

  /** The recorded time, by a clock that may have been ahead when it was noted; at once where there is none. */
  function resumeAt({ nextPollAt: at, notedAt = now() }: Partial<TaskRecordTask> = {}): number {
    if (at === undefined) return now()
    return Math.min(at - Math.max(0, notedAt - now()), now() + LONGEST_WAIT_MS)
  }

  async function update(changes: Partial<TaskRecordTask> = {}): Promise<void> {
    if (record.task === undefined || isClosed) return
    const snapshot = { ...(latest && recordSnapshot(latest)), ...(latestAt !== undefined && { snapshotAt: latestAt }) }
    const noted = { ...snapshot, nextPollAt, notedAt: now(), ...changes }
    record = { ...record, task: { ...record.task, ...noted } }
    if (await records.update(record, isWritten)) isWritten = isSeen = true
  }

  function isCurrent(taskId: string): boolean {
    return record.task?.taskId === taskId
  }

  function withAnswered(inputKey: string): string[] {
    return [...new Set(record.task?.answered).add(inputKey)]
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
      isWritten = true
      latest = left.task && recordedTask(left.task)
      latestAt = left.task?.snapshotAt
      nextPollAt = resumeAt(left.task)
    },
    writeIntent: async () => {
      if (isClosed) return
      isSent = true
      await records.write(record)
    },
    writeTask: async (task, era) => {
      latest = task
      // Born terminal, its result can be fetched; else the first poll is one interval away.
      nextPollAt = isTerminal(task.status) ? now() : now() + pollInterval(task.pollIntervalMs, policy)
      const times = { receivedAt: now(), nextPollAt, notedAt: now() }
      const created = { ...recordSnapshot(task), ...times, answered: [], isCancelling: false }
      record = { ...record, era, task: created }
      if (!isClosed) isWritten = isSeen = await records.write(record)
    },
    readNextPollAt: async () => {
      const task = (await records.read(record.callId))?.task
      return task?.taskId === record.task?.taskId && task?.nextPollAt !== undefined ? resumeAt(task) : undefined
    },
    note: (snapshot) => {
      latest = snapshot
      latestAt = now()
    },
    isAnswered: (inputKey) => record.task?.answered.includes(inputKey) ?? false,
    isCurrent,
    noteAnswered: async (taskId, inputKey) => {
      if (isCurrent(taskId)) await update({ answered: withAnswered(inputKey) })
    },
    noteCancelling: async (taskId, isCancelling) => {
      if (isCurrent(taskId)) await update({ isCancelling })
    },
    hear: async (told) => {
      const { task } = record
      if (task === undefined) return
      const changes = 'answered' in told ? { answered: withAnswered(told.answered) } : told
      record = { ...record, task: { ...task, ...changes } }
      // Not the changes: what has been heard in the meantime counts, too.
      if (!isRecorded(changes, (await records.read(record.callId))?.task)) await update()
    },
    flush: () => update(),
    wasTakenAway: async () => isSeen && !isClosed && !(await records.has(record.callId)),
    close: async (error, era) => {
      // What was called by a key is called anew only when the app says so, a task that is lost included. A
      // record of another era is not of this server any more.
      const isOver = error instanceof TaskExpiredError && (record.key === undefined || record.era !== era)
      // Cancelled before its answer, or answered in a way that says nothing, the tool may run all the same.
      const isUnsettled = error instanceof TaskCancelledError || error instanceof TaskProtocolError
      const isUnknown = error instanceof ToolCallInterruptedError || (isUnsettled && isSent)
      const keeps = record.task === undefined ? isUnknown : !isOver
      // What has not been sent is not recorded; what is, another page has left.
      if (record.task !== undefined || isSent) await (keeps ? update() : records.remove(record.callId, record))
      // An answer on its way may still be acknowledged.
      isClosed ||= !keeps
    },
    abandon: () => {
      isClosed = true
    },
  }
}

/** What is recorded is not written again: a storage that takes its time would lose what comes in between. */
function isRecorded(changes: Partial<TaskRecordTask>, stored: TaskRecordTask | undefined): boolean {
  if (stored === undefined) return false
  const { answered = [], isCancelling = stored.isCancelling } = changes
  return isCancelling === stored.isCancelling && answered.every((key) => stored.answered.includes(key))
}
