import type { DetailedTask } from '../../core/protocol/task.js'
import type { ListenHooks } from '../../core/protocol/taskPort.js'
import { onAbort } from '../../core/time/abort.js'
import type { KnownTask, KnownTasks } from './knownTasks.js'

/**
 * The subscribers to tasks of 2025-11-25. That revision promises no notifications, so no task is acknowledged
 * and polling continues; a message that comes anyway is a hint to poll.
 */
export interface Listeners {
  /** Resolves when the signal aborts. */
  listen(taskIds: readonly string[], hooks: ListenHooks): Promise<void>
  hint(task: KnownTask): void
  push(snapshot: DetailedTask): void
}

export function createListeners(tasks: Pick<KnownTasks, 'know'>): Listeners {
  const listeners = new Set<{ readonly taskIds: readonly string[]; readonly hooks: ListenHooks }>()
  const hooksOf = (id: string) => [...listeners].filter(({ taskIds }) => taskIds.includes(id)).map(({ hooks }) => hooks)

  return {
    listen: (taskIds, hooks) =>
      new Promise((resolve) => {
        const listener = { taskIds, hooks }
        listeners.add(listener)
        // A task that only a record names is known from now on, so that what the server says of it counts.
        for (const id of taskIds) if (tasks.know(id).isHinted) hooks.onHint(id)
        onAbort(hooks.signal, () => {
          listeners.delete(listener)
          resolve()
        })
      }),
    hint: (task) => {
      const all = hooksOf(task.id)
      task.isHinted = all.length === 0
      for (const { onHint } of all) onHint(task.id)
    },
    push: (snapshot) => {
      for (const { onTask } of hooksOf(snapshot.taskId)) onTask(snapshot)
    },
  }
}
