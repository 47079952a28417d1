import { isTerminal } from '../../core/protocol/task.js'
import type { TaskRecord } from '../tasks/taskRecord.js'
import type { TaskRuntime } from '../tasks/taskRuntime.js'

/** What one subscriber has not received yet: of each task no more than its newest state. */
export interface TaskUpdates {
  /** The tasks that are acknowledged: those it asked for that exist and are its own. */
  readonly taskIds: readonly string[]
  /** True once nothing is left to send and nothing more can come. */
  readonly isOver: boolean
  /** True once the server closes, whatever could still have come. */
  readonly isCut: boolean
  /** Takes one state; undefined if there is nothing new. */
  next(): TaskRecord | undefined
  /** Calls `wake` when there is something new, or when it is over. */
  onUpdate(wake: () => void): void
  /** Forgets tasks that have expired by `now`: there are no more updates of them. Never rejects. */
  dropExpired(now: number): Promise<void>
  stop(): void
}

/** Follows tasks on behalf of their owner. Their current state is the first update. */
export async function followTasks(
  taskIds: readonly string[],
  owner: string,
  runtime: Pick<TaskRuntime, 'follow' | 'read'>,
): Promise<TaskUpdates> {
  const versions = new Map<string, number>()
  const sentOf = new Map<string, string>()
  const waiting = new Map<string, TaskRecord>()
  /** Tasks that may still change, with the end of their ttl. */
  const open = new Map<string, number | null>()
  let wake = () => {}
  let isCut = false

  const stop = runtime.follow(taskIds, {
    onRecord(record) {
      const { taskId, status } = record.task
      if (record.owner !== owner || record.version <= (versions.get(taskId) ?? 0)) return
      versions.set(taskId, record.version)
      if (isTerminal(status)) open.delete(taskId)
      else open.set(taskId, record.expiresAt)
      // A lease that was renewed is no update.
      if (sentOf.get(taskId) === record.task.lastUpdatedAt) return
      sentOf.set(taskId, record.task.lastUpdatedAt)
      waiting.set(taskId, record)
      wake()
    },
    onClose() {
      isCut = true
      open.clear()
      wake()
    },
  })

  try {
    // Following comes first, or a change in between would be lost. A follower is called with what is read.
    await Promise.all(taskIds.map((taskId) => runtime.read(taskId, owner)))
  } catch (error) {
    stop()
    throw error
  }

  return {
    taskIds: [...versions.keys()],
    get isOver() {
      return open.size === 0 && waiting.size === 0
    },
    get isCut() {
      return isCut
    },
    next() {
      const [record] = waiting.values()
      if (record !== undefined) waiting.delete(record.task.taskId)
      return record
    },
    onUpdate(callback) {
      wake = callback
    },
    async dropExpired(now) {
      const overdue = [...open].filter(([, expiresAt]) => expiresAt !== null && expiresAt <= now)
      // Work does not expire, but a process that has slept has not postponed the expiry yet. A follower is called with what is read.
      const isGone = (taskId: string) => runtime.read(taskId, owner).then((record) => record === undefined)
      await Promise.all(
        overdue.map(async ([taskId]) => {
          if (await isGone(taskId).catch(() => false)) open.delete(taskId)
        }),
      )
      wake()
    },
    stop,
  }
}
