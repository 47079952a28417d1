import type { TaskRecord } from './taskRecord.js'

/** How many tasks that are over are kept. */
export interface EndedTaskLimits {
  readonly maxEndedTasks: number
  maxEndedTasksOf(owner: string): number
}

/** The tasks that have ended in this process and are still kept. Holds their ids only. */
export interface EndedTasks {
  /** Adds a task that has ended; returns the ids of those that have to go for it, the oldest first. */
  add(record: TaskRecord): readonly string[]
  /** Forgets a task whose id is in use again: it has expired, and a call with the same key has made a new one. */
  drop(taskId: string): void
  /** Forgets tasks that have expired by `now`, in ms since the epoch. */
  dropExpired(now: number): void
}

/** No task has ended yet. */
export function createEndedTasks({ maxEndedTasks, maxEndedTasksOf }: EndedTaskLimits): EndedTasks {
  /** In the order of their ends, as the ids of each owner. */
  const all = new Map<string, Pick<TaskRecord, 'owner' | 'expiresAt'>>()
  const byOwner = new Map<string, Set<string>>()

  function remove(taskId: string, owner: string): void {
    all.delete(taskId)
    const own = byOwner.get(owner)
    own?.delete(taskId)
    if (own?.size === 0) byOwner.delete(owner)
  }

  return {
    add({ task, owner, expiresAt }) {
      const { taskId } = task
      const own = byOwner.get(owner) ?? new Set()
      byOwner.set(owner, own.add(taskId))
      all.set(taskId, { owner, expiresAt })
      const [oldestOwn] = own
      const [oldest] = all
      if (own.size > maxEndedTasksOf(owner) && oldestOwn !== undefined) {
        remove(oldestOwn, owner)
        return [oldestOwn]
      }
      if (all.size > maxEndedTasks && oldest !== undefined) {
        remove(oldest[0], oldest[1].owner)
        return [oldest[0]]
      }
      return []
    },
    drop(taskId) {
      const known = all.get(taskId)
      if (known !== undefined) remove(taskId, known.owner)
    },
    dropExpired(now) {
      for (const [taskId, { owner, expiresAt }] of all) {
        if (expiresAt !== null && expiresAt <= now) remove(taskId, owner)
      }
    },
  }
}
