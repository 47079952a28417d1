import { checkGiven } from '../base/checkGiven.js'
import { digest } from '../base/digest.js'
import type { TaskQueue } from '../tasks/executor.js'
import type { BullmqClasses } from './bullmqClasses.js'
import { createSupervisedQueue } from './supervisedQueue.js'
import { superviseWorker } from './supervisedWorker.js'

/** Options of {@link bullmqQueue}. */
export interface BullmqQueueOptions<Connection> extends BullmqClasses<Connection> {
  /** The connection for BullMQ. For workers on Redis, a client of `ioredis` needs `maxRetriesPerRequest: null`. */
  connection: Connection
  /** The name of the queue. Use the same for servers and workers. @default 'taskwire' */
  name?: string
  /** The prefix of all keys in Redis. Its braces keep all keys in one hash slot of a cluster. @default '{taskwire}' */
  prefix?: string
}

/** A {@link TaskQueue} with a connection to close. */
export interface ClosableQueue extends TaskQueue {
  /** Ends the connection of the server. Workers end their own connections. */
  close(): Promise<void>
}

const NEEDED = {
  // Those of a class, and not of an instance of it.
  Queue: { methods: ['call'], pass: 'the class Queue of bullmq' },
  Worker: { methods: ['call'], pass: 'the class Worker of bullmq' },
  connection: { methods: [], pass: 'what BullMQ connects by, such as { url }' },
}

/** After how many ms a worker asks again whose database refuses connections. */
const RETRY_MS = 1000

/**
 * Creates a queue with BullMQ 6, on Redis or Postgres: the `executor` of `createTaskServer` and the `queue` of
 * `createTaskWorker`. The id of a job is made of a hash of the id of its task, and the attempt, so that no job is queued twice. Leases
 * in the store, not BullMQ, decide when the work of a lost worker runs again. The database may start later, and may be
 * unreachable for a while: meanwhile the server refuses calls with 503 and workers wait; both connect again.
 *
 * @throws {TaskConfigurationError} if a class or `connection` is missing, or an option does not exist.
 *
 * @example
 * ```ts
 * import { Queue, Worker } from 'bullmq'
 *
 * const queue = bullmqQueue({ Queue, Worker, connection: { url: 'redis://localhost' } })
 * ```
 */
export function bullmqQueue<Connection>(options: BullmqQueueOptions<Connection>): ClosableQueue {
  checkGiven('queue of BullMQ', withoutClasses(options), NEEDED, ['name', 'prefix'])
  const { Queue, Worker, connection, name = 'taskwire', prefix = '{taskwire}' } = options
  const queue = createSupervisedQueue(
    () =>
      new Queue(name, {
        connection,
        prefix,
        // What there is to know of a task is in the store.
        defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
      }),
  )

  return {
    ready: queue.ready,

    async start(job) {
      const { taskId, tool, attempt } = job
      await queue.use('queue a task', (opened) => opened.add(tool, job, { jobId: `${digest(taskId)}-${attempt}` }))
    },

    waiting: () => queue.use('count the jobs that wait', (opened) => opened.getWaitingCount()),

    work(run, { concurrency, leaseMs, onError }) {
      const open = () =>
        new Worker(name, ({ data }) => run(data), {
          connection,
          prefix,
          concurrency,
          lockDuration: leaseMs,
          stalledInterval: leaseMs,
          maxStalledCount: 1,
          autorun: false,
          runRetryDelay: RETRY_MS,
        })
      return superviseWorker(open, onError)
    },

    close: queue.close,
  }
}

/** `withBackend()` of BullMQ returns all of its classes: an app that passes them as they are has named no option by mistake. */
function withoutClasses(options: unknown): unknown {
  const { QueueEvents, QueueEventsProducer, FlowProducer, ...given } = Object(options) as Record<string, unknown>
  return given
}
