import type { DetailedTask } from '../../protocol/task.js'

/**
 * A task as `tasks/get` and `notifications/tasks` show it: "exactly what the underlying request would have
 * returned" includes the discriminator that every result of this revision has, and clients check it.
 */
export function toWireTask(task: DetailedTask): Record<string, unknown> {
  return task.status === 'completed' ? { ...task, result: { ...task.result, resultType: 'complete' } } : { ...task }
}
