import type { Clock } from '../base/clock.js'
import { nextMacrotask } from '../base/nextMacrotask.js'
import { repeat } from '../base/repeat.js'
import type { TaskStore } from './taskStore.js'

/** Notices what other processes, or other servers of this process, do to tasks that matter here. */
export interface StoreWatch {
  /** To be called when a task begins to matter. */
  start(): void
  stop(): void
}

/** What a {@link StoreWatch} is made of. */
export interface StoreWatchOptions {
  clock: Clock
  /** How often tasks are read again. Undefined if no other process writes to the store, so that its change feed suffices. */
  intervalMs: number | undefined
  /** The tasks that matter, each once. */
  taskIds: () => Iterable<string>
  /** Reads a task, which is all it takes to notice. Must not throw. */
  read: (taskId: string) => Promise<void>
  /** The change feed of the store, if it has one. */
  subscribe?: TaskStore['watch']
  /** True if the task matters, and this version of it is not known here. Called for every change in the store. */
  isNews: (taskId: string, version: number) => boolean
}

/** With a change feed, how long a change that was never told goes unnoticed. */
const SAFETY_NET_MS = 15_000

/**
 * Reads tasks again when the store tells of a change; where it does not, every `intervalMs`, as long as there are any that
 * matter: databases differ too much in how they tell of changes to ask every store for more than `get`.
 */
export function createStoreWatch(options: StoreWatchOptions): StoreWatch {
  const { clock, taskIds, read, subscribe, isNews } = options
  const intervalMs =
    subscribe === undefined || options.intervalMs === undefined
      ? options.intervalMs
      : Math.max(options.intervalMs, SAFETY_NET_MS)
  /** The newest versions of tasks that may be news, until the changes of this turn are over. */
  const changed = new Map<string, number>()
  let stop: (() => void) | undefined
  let unsubscribe: (() => void) | undefined

  function onChange(taskId?: string, version = Number.POSITIVE_INFINITY): void {
    if (taskId === undefined) void look()
    else if (isNews(taskId, version)) {
      if (changed.size === 0) void readChanged()
      changed.set(taskId, Math.max(version, changed.get(taskId) ?? 0))
    }
  }

  /**
   * Waits first: a store in memory reports a change before the server that made it has noted it, and a server need not read again
   * what it wrote. Several changes of a task in one turn are one read.
   */
  async function readChanged(): Promise<void> {
    await nextMacrotask()
    const versions = [...changed]
    changed.clear()
    for (const [taskId, version] of versions) if (isNews(taskId, version)) void read(taskId)
  }

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
      unsubscribe ??= subscribe?.(onChange)
      if (intervalMs !== undefined) stop ??= repeat(clock, intervalMs, look)
    },
    stop() {
      end()
      changed.clear()
      unsubscribe?.()
    },
  }
}
