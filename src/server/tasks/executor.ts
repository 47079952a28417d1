/** The work of a task, as it goes through a queue: plain JSON, without anything that a client sent. */
export interface TaskJob {
  /** A bearer capability: keep it out of logs. */
  readonly taskId: string
  readonly tool: string
  /** How often the tool was started, this time included. Of two jobs with the same id and attempt, one does nothing. */
  readonly attempt: number
}

/**
 * Where work is done that does not run in the process of the request. Over any engine that keeps jobs: pass it as `executor`
 * to `createTaskServer`.
 */
export interface TaskExecutor {
  /**
   * Resolves if jobs can be started, as far as is known. Called before a task is created: if it rejects, the call is refused
   * with 503 and `Retry-After`, and there is no task. @default not asked
   */
  ready?(): Promise<void>
  /**
   * Queues the work. Resolves when the job is safe, so that it outlives this process. If it rejects, the task waits, and any
   * process starts the job again after one `leaseMs`: the task is in the store already. A job may be delivered more than
   * once.
   */
  start(job: TaskJob): Promise<void>
  /**
   * How many jobs wait for a worker. Each process calls this once a second at most, while clients poll tasks that wait: the
   * status of such a task says how many tasks come before it at most, and `pollIntervalMs` may depend on it. @default not
   * known
   */
  waiting?(): Promise<number>
}

/** An executor whose jobs are taken by `createTaskWorker`. */
export interface TaskQueue extends TaskExecutor {
  /** Takes jobs, up to `concurrency` at a time, and calls `run` with each. The promise of `run` never rejects. */
  work(run: (job: TaskJob) => Promise<void>, options: TaskQueueOptions): TaskQueueWorker
}

/** How a worker takes jobs. */
export interface TaskQueueOptions {
  /** How many jobs may run at a time. */
  readonly concurrency: number
  /** After how many ms without a sign of life a job counts as lost: the server's own limit, for engines that have one. */
  readonly leaseMs: number
  /** Called with errors of the engine. */
  readonly onError: (error: unknown) => void
}

/** A consumer of jobs from a queue. */
export interface TaskQueueWorker {
  /** Takes no more jobs; running jobs continue. Resolves when no job will be started any longer. */
  stop(): Promise<void>
  /** Closes connections. Called after `stop`, when no job runs. */
  close(): Promise<void>
}
