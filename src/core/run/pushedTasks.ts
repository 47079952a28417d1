import type { DetailedTask } from '../protocol/task.js'
import type { PushOptions } from './push.js'

/** The tasks that the server has promised to push, and those of them that it has pushed since. */
export interface PushedTasks {
  /** The server has promised to push these, and no others. */
  acknowledge(ids: readonly string[]): void
  /** The server has pushed a task. */
  receive(task: DetailedTask): void
  /** True if the server pushes what happens to the task: it has said so, and has done it. */
  isPushed(taskId: string): boolean
}

/** @param onPushed Called when the server has pushed something. */
export function createPushedTasks(
  { onTask, onChange }: Pick<PushOptions, 'onTask' | 'onChange'>,
  onPushed: () => void,
): PushedTasks {
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
    receive: (task) => {
      const { taskId } = task
      onPushed()
      if (acknowledged.has(taskId) && !pushed.has(taskId)) {
        pushed.add(taskId)
        onChange(taskId)
      }
      onTask(task)
    },
    isPushed: (taskId) => pushed.has(taskId),
  }
}
