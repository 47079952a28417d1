import type { TaskJob } from '../tasks/executor.js'

/** The part of a BullMQ `Queue` that Taskwire uses. */
export interface BullmqQueue {
  add(name: string, data: TaskJob, options: { jobId: string }): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  /** O(1) on Redis; on Postgres it counts the jobs that wait or run. */
  getWaitingCount(): Promise<number>
  waitUntilReady(): Promise<unknown>
  close(): Promise<void>
}

/** The part of a BullMQ `Worker` that Taskwire uses. */
export interface BullmqWorker {
  on(event: 'error', listener: (error: Error) => void): unknown
  waitUntilReady(): Promise<unknown>
  run(): Promise<void>
  pause(doNotWaitActive?: boolean): Promise<void>
  resume(): Promise<void> | void
  close(force?: boolean): Promise<void>
}

/** The classes of BullMQ 6: the default ones for Redis, or those of `withBackend(createPostgresBackend)`. */
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
      autorun: boolean
      runRetryDelay: number
    },
  ) => BullmqWorker
}
