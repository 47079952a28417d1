import { isTerminal } from '../../core/protocol/task.js'
import type { TaskRecord } from './taskRecord.js'

/** Somebody who wants to know how tasks get on. */
export interface TaskFollower {
  /** A state of a task that is followed: new, or known already. */
  onRecord(record: TaskRecord): void
  /** No more news comes: the server closes. */
  onClose(): void
}

/** Passes the states of tasks on to those who follow them. */
export interface TaskFeed {
  /** Begins to follow tasks; the function that is returned ends it. */
  follow(taskIds: readonly string[], follower: TaskFollower): () => void
  /** Calls the followers of a task. Those of a task that is over follow it no longer. */
  publish(record: TaskRecord): void
  /** Ends the subscriptions to a task that is gone. */
  drop(taskId: string): void
  /** True if somebody follows the task. */
  isFollowed(taskId: string): boolean
  /** The ids of all tasks that somebody follows. */
  followed(): Iterable<string>
  close(): void
}

/** A feed without followers. */
export function createTaskFeed(): TaskFeed {
  const followers = new Set<TaskFollower>()
  const byTask = new Map<string, Set<TaskFollower>>()
  let isClosed = false

  function leave(taskId: string, follower: TaskFollower): void {
    const those = byTask.get(taskId)
    those?.delete(follower)
    if (those?.size === 0) byTask.delete(taskId)
  }

  return {
    follow(taskIds, follower) {
      if (isClosed) follower.onClose()
      followers.add(follower)
      for (const taskId of taskIds) {
        const those = byTask.get(taskId)
        if (those === undefined) byTask.set(taskId, new Set([follower]))
        else those.add(follower)
      }
      return () => {
        followers.delete(follower)
        for (const taskId of taskIds) leave(taskId, follower)
      }
    },
    publish(record) {
      const { taskId, status } = record.task
      const those = [...(byTask.get(taskId) ?? [])]
      if (isTerminal(status)) byTask.delete(taskId)
      for (const follower of those) follower.onRecord(record)
    },
    drop: (taskId) => void byTask.delete(taskId),
    isFollowed: (taskId) => byTask.has(taskId),
    followed: () => byTask.keys(),
    close() {
      isClosed = true
      for (const follower of followers) follower.onClose()
    },
  }
}
