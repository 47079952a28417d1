import type { Clock } from './clock.js'
import { repeat } from './repeat.js'

/** Notices what other processes do to tasks that matter here. */
export interface StoreWatch {
  /** To be called when a task begins to matter. */
  start(): void
  stop(): void
}

/** What a {@link StoreWatch} is made of. */
export interface StoreWatchOptions {
  clock: Clock
  intervalMs: number
  /** The tasks that matter. */
  taskIds: () => ReadonlySet<string>
  /** Reads a task, which is all it takes to notice. Must not throw. */
  read: (taskId: string) => Promise<void>
}

/**
 * Reads tasks again every `intervalMs`, as long as there are any that matter: databases differ too much
 * in how they tell of changes to ask a store for more than `get`.
 */
export function createStoreWatch({ clock, intervalMs, taskIds, read }: StoreWatchOptions): StoreWatch {
  let stop: (() => void) | undefined

  async function look(): Promise<void> {
    const ids = [...taskIds()]
    if (ids.length === 0) end()
    else await Promise.all(ids.map(read))
  }

  function end(): void {
    stop?.()
    stop = undefined
  }

  return {
    start() {
      stop ??= repeat(clock, intervalMs, look)
    },
    stop: end,
  }
}
