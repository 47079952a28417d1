/** The tasks that the server has promised to push, and those of them that it has pushed since. */
export interface PushedTasks {
  /** The server has promised to push these, and no others. */
  acknowledge(ids: readonly string[]): void
  /** Something of a task was pushed. */
  note(taskId: string): void
  /** True if the server pushes what happens to the task: it has said so, and has done it. */
  isPushed(taskId: string): boolean
}

/** @param onChange Called when a task begins or ceases to be pushed. */
export function createPushedTasks(onChange: (taskId: string) => void): PushedTasks {
  let acknowledged: ReadonlySet<string> = new Set()
  const pushed = new Set<string>()
  return {
    acknowledge: (ids) => {
      acknowledged = new Set(ids)
      for (const id of pushed) {
        if (acknowledged.has(id)) continue
        pushed.delete(id)
        onChange(id)
      }
    },
    note: (taskId) => {
      if (!acknowledged.has(taskId) || pushed.has(taskId)) return
      pushed.add(taskId)
      onChange(taskId)
    },
    isPushed: (taskId) => pushed.has(taskId),
  }
}
