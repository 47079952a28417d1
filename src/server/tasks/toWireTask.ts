import { missingCapability } from '../../core/protocol/inputCapabilities.js'
import { PROGRESS_META } from '../../core/protocol/progress.js'
import type { DetailedTask, Task } from '../../core/protocol/task.js'

/**
 * A task as `tasks/get` and `notifications/tasks` show it to a client that has declared these capabilities in this request:
 * only with input requests that it answers. "Exactly what the underlying request would have returned" includes the
 * discriminator that every result of this revision has, and clients check it.
 */
export function toWireTask(task: DetailedTask, capabilities: unknown): Record<string, unknown> {
  const shown = withWireProgress(task)
  if (task.status === 'input_required') {
    const declared = Object.entries(task.inputRequests).filter(
      ([, request]) => missingCapability(capabilities, request) === undefined,
    )
    return { ...shown, inputRequests: Object.fromEntries(declared) }
  }
  return task.status === 'completed' ? { ...shown, result: { ...task.result, resultType: 'complete' } } : shown
}

/** The task with its progress where the protocol has room for it. */
export function withWireProgress({ progress, _meta, ...task }: Task): Record<string, unknown> {
  return progress === undefined ? { ...task } : { ...task, _meta: { [PROGRESS_META]: progress } }
}
