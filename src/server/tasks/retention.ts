import { TaskExpiredError } from '../../core/protocol/errors.js'
import type { Clock } from '../base/clock.js'
import type { ReportError } from '../base/reportError.js'
import { createEndedTasks, type EndedTaskLimits } from './endedTasks.js'
import { createSweeper, type Sweeper } from './sweeper.js'
import type { TaskLedger } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'
import { expiryDueAt } from './taskReducer.js'
import type { TaskRun } from './taskRun.js'
import type { TaskRuns } from './taskRuns.js'
import type { TaskStore } from './taskStore.js'

/** Removes tasks whose ttl is over, and of those that have ended the ones that are too many. Keeps those that are worked on here. */
export interface Retention extends Pick<Sweeper, 'stop'> {
  /** Makes sure that a task is looked at when its ttl is over, or before that, while it is worked on here. */
  watch(record: TaskRecord): void
  /** Keeps a task that has ended, and removes others for it where there are too many. Never rejects. */
  keep(record: TaskRecord): Promise<void>
}

/** What a {@link Retention} is made of. */
export interface RetentionOptions extends EndedTaskLimits {
  store: TaskStore
  clock: Clock
  ledger: Pick<TaskLedger, 'apply' | 'read'>
  runs: TaskRuns
  report: ReportError
}

/** How long after a sweep that the store has refused the next one comes, in ms. */
const SWEEP_AGAIN_MS = 60_000

/** The retention of the tasks of a store. */
export function createRetention(options: RetentionOptions): Retention {
  const { store, clock, ledger, runs, report } = options
  const ended = createEndedTasks(options)

  async function sweep(now: number): Promise<number | null> {
    for (const run of runs.all()) {
      const { expiresAt } = run.latest
      if (expiresAt !== null && expiresAt <= now) void expire(run)
      else if ((expiryDueAt(run.latest) ?? Number.POSITIVE_INFINITY) <= now) extend(run)
    }
    ended.dropExpired(now)
    const next = await store.expire(now).catch((error: unknown) => {
      report(error, { source: 'server' })
      return now + SWEEP_AGAIN_MS
    })
    const left = runs.all().filter(({ latest: { expiresAt } }) => expiresAt === null || expiresAt > now)
    const moments = [next, ...left.map(({ latest }) => expiryDueAt(latest))].filter((at) => at !== null)
    return moments.length === 0 ? null : Math.min(...moments)
  }

  /**
   * Asks the store first: another process may have taken a response at the last moment, and this one
   * may not have heard of that.
   */
  async function expire(run: TaskRun): Promise<void> {
    const { taskId } = run.record.task
    const record = await ledger.read(taskId).catch(() => undefined)
    if (record !== undefined || runs.get(taskId) !== run) return
    runs.remove(taskId)
    run.abort(new TaskExpiredError('ttl', { taskId }))
  }

  /** In its own time: a store that does not answer must not hold up the sweep. */
  function extend({ record, by }: TaskRun): void {
    const extended = ledger.apply(record.task.taskId, { type: 'extend', by })
    extended.catch((error: unknown) => report(error, { source: 'server' }))
  }

  const sweeper = createSweeper(clock, sweep)

  return {
    stop: sweeper.stop,
    watch: (record) => sweeper.due(runs.get(record.task.taskId) ? expiryDueAt(record) : record.expiresAt),
    async keep(record) {
      try {
        for (const taskId of ended.add(record)) await store.remove(taskId)
      } catch (error) {
        report(error, { source: 'server' })
      }
    },
  }
}
