import { checkWorkerOptions } from './checkOptions.js'
import type { TaskCloseOptions } from './createTaskServer.js'
import type { TaskHealth } from './health.js'
import { createServerConfig } from './serverConfig.js'
import { createServerCore } from './serverCore.js'
import type { TaskServerOptions } from './taskServerOptions.js'
import type { TaskQueue } from './tasks/executor.js'
import type { TaskStore } from './tasks/taskStore.js'

/** Options of {@link createTaskWorker}. */
export interface TaskWorkerOptions
  extends Pick<
    TaskServerOptions,
    | 'serverInfo'
    | 'tools'
    | 'clock'
    | 'leaseMs'
    | 'seal'
    | 'open'
    | 'maxResultSize'
    | 'onError'
    | 'instrument'
    | 'logger'
    | 'serverOptions'
    | 'setup'
    | 'maxEndedTasks'
    | 'maxEndedTasksPerOwner'
  > {
  /** The store of the server. */
  store: TaskStore
  /** The queue that the server has as its `executor`. */
  queue: TaskQueue
  /** How many jobs may run at a time in this process. @default 10 */
  concurrency?: number
}

/** A process that does the work of tasks. */
export interface TaskWorker {
  /**
   * Checks whether this process can work: its store and queue, its claims, its event loop. Never rejects. See
   * `createHealthHandler`.
   */
  readonly health: () => Promise<TaskHealth>
  /**
   * Takes no more jobs and, after `drainMs`, stops all work. Another worker takes over each task whose tool may run again
   * (`onOrphan`). All other running tasks fail.
   */
  readonly close: (options?: TaskCloseOptions) => Promise<void>
}

/**
 * Creates a worker for a task server that has a queue as its `executor`. Run it in its own process, in as many processes as
 * you like. Pass the `serverInfo`, tools, store and queue of the server. Answers and cancellations of a client reach the
 * work through the store, no matter which process received them.
 *
 * @throws {TaskConfigurationError} if an option cannot be used; the message names it.
 *
 * @example
 * ```ts
 * const worker = createTaskWorker({ serverInfo, tools: [report], store, queue, concurrency: 20 })
 * process.on('SIGTERM', () => void worker.close({ drainMs: 20_000 }).then(() => process.exit()))
 * ```
 */
export function createTaskWorker(options: TaskWorkerOptions): TaskWorker {
  checkWorkerOptions(options)
  const { queue, concurrency = 10, ...rest } = options
  const config = createServerConfig({ ...rest, executor: queue, maxRunning: concurrency })
  const core = createServerCore(config, () => 0)
  const { report } = core.parts
  const taking = queue.work(core.runJob, {
    concurrency,
    leaseMs: config.leaseMs,
    onError: (error) => report(error, { source: 'server' }),
  })
  return {
    health: core.health,
    async close({ drainMs } = {}) {
      core.beginClosing()
      await taking.stop()
      await core.close(drainMs)
      await taking.close()
    },
  }
}
