/** The work of a task, as a job in a queue: plain JSON, without anything that a client sent. */
export interface TaskJob {
  /** A bearer capability: keep it out of logs. */
  readonly taskId: string
  readonly tool: string
  /** How often the tool was started, including this time. Of two jobs with the same id and attempt, only one runs. */
  readonly attempt: number
}

/**
 * Runs work outside the process of the request. Implement it over any job engine, and pass it as `executor` to
 * `createTaskServer`.
 */
export interface TaskExecutor {
  /**
   * Resolves if jobs can probably be started. Called before a task is created: if it rejects, the server refuses the call
   * with 503 and `Retry-After`, and creates no task. @default no check
   */
  ready?(): Promise<void>
  /**
   * Queues the work. Resolves when the job is safe, so that it outlives this process. If it rejects, the task, which is
   * already in the store, waits, and any process starts the job again after one `leaseMs`. A job may be delivered more than
   * once.
   */
  start(job: TaskJob): Promise<void>
  /**
   * How many jobs wait for a worker. Each process calls this at most once a second, while clients poll waiting tasks. The
   * status message of a waiting task says how many tasks come before it at most, and `pollIntervalMs` may depend on the
   * number. @default the number is not known
   */
  waiting?(): Promise<number>
}

/** An executor for the jobs of `createTaskWorker`. */
export interface TaskQueue extends TaskExecutor {
  /** Takes jobs, up to `concurrency` at a time, and calls `run` with each. The promise of `run` never rejects. */
  work(run: (job: TaskJob) => Promise<void>, options: TaskQueueOptions): TaskQueueWorker
}

/** Options of a worker for its queue. */
export interface TaskQueueOptions {
  /** How many jobs may run at a time. */
  readonly concurrency: number
  /**
   * The time without a sign of life after which a job counts as lost, in ms. The server enforces this limit itself; the
   * value is for engines that have such a limit, too.
   */
  readonly leaseMs: number
  /** Called with errors of the engine. */
  readonly onError: (error: unknown) => void
}

/** A consumer of jobs from a queue. */
export interface TaskQueueWorker {
  /** Takes no more jobs; running jobs continue. Resolves when it will start no further job. */
  stop(): Promise<void>
  /** Closes connections. Called after `stop`, when no job runs. */
  close(): Promise<void>
}
