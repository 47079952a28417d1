import { createBackoff } from '../base/backoff.js'
import { systemClock } from '../base/clock.js'
import type { TaskJob, TaskQueue, TaskQueueOptions, TaskQueueWorker } from '../tasks/executor.js'
import { listenToPostgres } from './listenToPostgres.js'
import { checkPostgresOptions, createRunStatement, type PostgresPool } from './postgresPool.js'
import { createSchemaCheck } from './schema.js'
import { checkSchemaName } from './schemaName.js'
import { beginWaiting, endWaiting, jobsChannel, wakeWorkers } from './waitingWorkers.js'

/** Options of {@link postgresQueue}: those of the store. */
export interface PostgresQueueOptions {
  /** The pool of the store, or another one to the same database. The queue keeps one of its clients as long as a worker waits. */
  pool: PostgresPool
  /** The same as that of the store. @default 'taskwire' */
  schema?: string
  /** The same as that of the store. @default true */
  migrate?: boolean
  /** The same as that of the store. @default true */
  prepare?: boolean
}

/** How long after a worker that has taken a job from the table, and has not claimed it, another one may take it, in ms. */
const TAKEN_MS = 10_000
/** How often a worker looks whether there is work that nothing has told it of, in ms. */
const LOOK_MS = 1000

/**
 * Creates a queue in the table of `postgresTaskStore`. A stored task that waits for a worker is also its own job: one
 * statement stores the task and queues the call, so there is never one without the other. Workers take jobs with
 * `SKIP LOCKED`, in the order in which the tasks were created. `NOTIFY` wakes waiting workers.
 *
 * @throws {TaskConfigurationError} if `pool` is not a pool, an option does not exist, or `schema` is not a plain name.
 *
 * @example
 * ```ts
 * const pool = new Pool({ connectionString })
 * const store = postgresTaskStore({ pool })
 * const queue = postgresQueue({ pool })
 * ```
 */
export function postgresQueue(options: PostgresQueueOptions): TaskQueue {
  checkPostgresOptions('queue in Postgres', options)
  const { pool, schema = 'taskwire', migrate = true, prepare = true } = options
  checkSchemaName(schema)
  const run = createRunStatement(pool)
  const checkSchema = createSchemaCheck(pool, run, schema, migrate)
  const query = async (name: string, text: string, values: unknown[]) => {
    await checkSchema()
    return run(text, values, prepare ? `${schema}_${name}` : undefined)
  }
  const tasks = `${schema}.tasks`

  async function take(limit: number): Promise<readonly TaskJob[]> {
    const { rows } = await query('take', takeStatement(tasks), [TAKEN_MS, limit])
    return rows.map((row) => ({
      taskId: String(row['task_id']),
      tool: String(row['tool']),
      attempt: Number(row['attempt']) + 1,
    }))
  }

  return {
    // The task is in the table, and that is the job. The statement that stored it has woken a worker; of one that is started again,
    // workers are told here. They also look on their own.
    async start({ attempt }) {
      if (attempt > 1) await query('wake', `SELECT ${wakeWorkers(schema)}`, []).catch(() => {})
    },

    async waiting() {
      const text = `SELECT count(*) AS jobs FROM ${tasks} WHERE at_work AND is_waiting`
      return Number((await query('waiting', text, [])).rows[0]?.['jobs'])
    },

    work(runJob, workOptions) {
      const listen = (onJob: () => void) => listenForJobs(pool, schema, onJob)
      return takeJobs({ take, listen }, runJob, workOptions)
    },
  }
}

/** Hears of jobs, and has those who add them know whether this worker waits for some. */
interface JobListener {
  setWaiting(isWaiting: boolean): void
  stop(): void
}

function listenForJobs(pool: PostgresPool, schema: string, onJob: () => void): JobListener {
  let isSaid = false
  const listener = listenToPostgres(pool, jobsChannel(schema), (payload) => {
    // Another session, which has no lock.
    if (payload === undefined) isSaid = false
    onJob()
  })
  return {
    setWaiting(isWaiting) {
      if (isWaiting === isSaid) return
      isSaid = isWaiting
      const saying = listener.say(isWaiting ? beginWaiting(schema) : endWaiting(schema))
      // One may have been added before that was said. Without a connection, it is said when there is one.
      saying.then(
        () => isWaiting && onJob(),
        () => {},
      )
    },
    stop: listener.stop,
  }
}

/** Where jobs come from. */
interface JobSource {
  take(limit: number): Promise<readonly TaskJob[]>
  listen(onJob: () => void): JobListener
}

/** Takes as many jobs as there is room for: when there may be some, when one has ended, and once in a while. */
function takeJobs(
  { take, listen }: JobSource,
  runJob: (job: TaskJob) => Promise<void>,
  { concurrency, onError }: TaskQueueOptions,
): TaskQueueWorker {
  const backoff = createBackoff()
  let running = 0
  let isTaking = false
  let looksAgain = false
  let isStopped = false
  let timer: unknown

  function later(ms: number): void {
    systemClock.clearTimeout(timer)
    timer = systemClock.setTimeout(look, ms)
  }

  function look(): void {
    looksAgain = true
    if (!isTaking && !isStopped) void fill()
  }

  async function fill(): Promise<void> {
    isTaking = true
    let waitMs = LOOK_MS
    try {
      while (looksAgain && running < concurrency && !isStopped) {
        looksAgain = false
        const room = concurrency - running
        const jobs = await take(room)
        listener.setWaiting(jobs.length < room)
        if (jobs.length > 0) looksAgain = true
        for (const job of jobs) begin(job)
      }
    } catch (error) {
      onError(error)
      waitMs = backoff.next(systemClock.now())
    }
    isTaking = false
    if (!isStopped) later(waitMs)
  }

  function begin(job: TaskJob): void {
    running += 1
    void runJob(job).finally(() => {
      running -= 1
      look()
    })
  }

  const listener = listen(look)
  look()
  return {
    async stop() {
      isStopped = true
      systemClock.clearTimeout(timer)
      listener.stop()
    },
    async close() {},
  }
}

/** By the clock of the database, which is one for all workers. */
function takeStatement(tasks: string): string {
  const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
  return `
    UPDATE ${tasks} SET taken_until = ${now} + $1 WHERE task_id IN (
      SELECT task_id FROM ${tasks} WHERE at_work AND is_waiting AND taken_until <= ${now}
      ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING task_id, tool, attempt`
}
