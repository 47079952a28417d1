import type { TaskJob, TaskQueue } from '../tasks/executor.js'

/** What is used of a `Queue` of BullMQ. */
export interface BullmqQueue {
  add(name: string, data: TaskJob, options: { jobId: string }): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  /** O(1) on Redis; on Postgres it counts the jobs that are there, which are those that wait or are under way. */
  getWaitingCount(): Promise<number>
  close(): Promise<void>
}

/** What is used of a `Worker` of BullMQ. */
export interface BullmqWorker {
  on(event: 'error', listener: (error: Error) => void): unknown
  pause(doNotWaitActive?: boolean): Promise<void>
  close(force?: boolean): Promise<void>
}

/** The classes of BullMQ 6: its own, for Redis, or those of `withBackend(createPostgresBackend)`. */
export interface BullmqClasses<Connection> {
  Queue: new (
    name: string,
    options: {
      connection: Connection
      prefix?: string
      defaultJobOptions?: { removeOnComplete: boolean; removeOnFail: boolean }
    },
  ) => BullmqQueue
  Worker: new (
    name: string,
    process: (job: { data: TaskJob }) => Promise<void>,
    options: {
      connection: Connection
      prefix?: string
      concurrency: number
      lockDuration: number
      stalledInterval: number
      maxStalledCount: number
    },
  ) => BullmqWorker
}

/** Options of {@link bullmqQueue}. */
export interface BullmqQueueOptions<Connection> extends BullmqClasses<Connection> {
  /** What BullMQ connects by. For workers on Redis, a client of `ioredis` needs `maxRetriesPerRequest: null`. */
  connection: Connection
  /** The same for servers and workers. @default 'taskwire' */
  name?: string
  /** Put before all keys in Redis. The braces keep them together in a cluster. @default '{taskwire}' */
  prefix?: string
}

/** A {@link TaskQueue} with a connection to let go of. */
export interface ClosableQueue extends TaskQueue {
  /** Ends the connection of the server. Workers end theirs. */
  close(): Promise<void>
}

/**
 * A queue of BullMQ 6, on Redis or Postgres: the `executor` of `createTaskServer`, the `queue` of `createTaskWorker`. Jobs are
 * added to it under the id and the attempt of their task, so that none is there twice. What becomes of the work of a worker
 * that was lost is decided by leases in the store, not by BullMQ.
 *
 * @example
 * ```ts
 * import { Queue, Worker } from 'bullmq'
 *
 * const queue = bullmqQueue({ Queue, Worker, connection: { url: 'redis://localhost' } })
 * ```
 */
export function bullmqQueue<Connection>(options: BullmqQueueOptions<Connection>): ClosableQueue {
  const { Queue, Worker, connection, name = 'taskwire', prefix = '{taskwire}' } = options
  let queue: BullmqQueue | undefined

  function open(): BullmqQueue {
    const opened = new Queue(name, {
      connection,
      prefix,
      // What there is to know of a task is in the store.
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    })
    // Without a listener, an error would be thrown. Adding a job rejects by itself.
    opened.on('error', () => {})
    return opened
  }

  return {
    async start(job) {
      queue ??= open()
      await queue.add(job.tool, job, { jobId: `${job.taskId}-${job.attempt}` })
    },

    waiting() {
      queue ??= open()
      return queue.getWaitingCount()
    },

    work(run, { concurrency, leaseMs, onError }) {
      const worker = new Worker(name, ({ data }) => run(data), {
        connection,
        prefix,
        concurrency,
        lockDuration: leaseMs,
        stalledInterval: leaseMs,
        maxStalledCount: 1,
      })
      worker.on('error', onError)
      return {
        stop: () => worker.pause(true),
        // Nothing is under way, or what is has been given up.
        close: () => worker.close(true),
      }
    },

    async close() {
      await queue?.close()
      queue = undefined
    },
  }
}
