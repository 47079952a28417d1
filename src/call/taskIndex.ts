import type { Following } from './call.js'
import type { CallEntry } from './callEntry.js'

/** The calls that have become a task and have not ended. A server may have answered two calls with one task. */
export interface TaskIndex {
  add(taskId: string, entry: CallEntry): void
  remove(taskId: string, entry: CallEntry): void
  /** The calls of a task, as they are now: the list stays as it is when calls come and go. */
  entriesOf(taskId: string): readonly CallEntry[]
  followersOf(taskId: string): readonly Following[]
  taskIds(): readonly string[]
  all(): Iterable<CallEntry>
}

/**
 * @param onFirst Called when there is something in the index. Returns what is called when there is nothing any more.
 */
export function createTaskIndex(onFirst: () => () => void): TaskIndex {
  const byTask = new Map<string, readonly CallEntry[]>()
  let onLast = () => {}

  function entriesOf(taskId: string): readonly CallEntry[] {
    return byTask.get(taskId) ?? []
  }

  return {
    add: (taskId, entry) => {
      if (byTask.size === 0) onLast = onFirst()
      byTask.set(taskId, [...entriesOf(taskId), entry])
    },
    remove: (taskId, entry) => {
      const others = entriesOf(taskId).filter((one) => one !== entry)
      if (others.length > 0) byTask.set(taskId, others)
      else byTask.delete(taskId)
      if (byTask.size === 0) onLast()
    },
    entriesOf,
    followersOf: (taskId) => entriesOf(taskId).flatMap(({ call }) => (call.stage === 'following' ? call : [])),
    taskIds: () => [...byTask.keys()],
    *all() {
      for (const entries of byTask.values()) yield* entries
    },
  }
}
