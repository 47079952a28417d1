import { TaskExpiredError } from '../../protocol/errors.js'
import type { Clock } from '../base/clock.js'
import type { ReportError } from '../base/reportError.js'
import { createEndedTasks, type EndedTaskLimits } from './endedTasks.js'
import { createSweeper, type Sweeper } from './sweeper.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskRuns } from './taskRuns.js'
import type { TaskStore } from './taskStore.js'

/** Removes tasks whose ttl is over, and of those that have ended the ones that are too many. */
export interface Retention extends Sweeper {
  /** Keeps a task that has ended, and removes others for it where there are too many. Never rejects. */
  keep(record: TaskRecord): Promise<void>
}

/** What a {@link Retention} is made of. */
export interface RetentionOptions extends EndedTaskLimits {
  store: TaskStore
  clock: Clock
  runs: TaskRuns
  report: ReportError
}

/** The retention of the tasks of a store. */
export function createRetention(options: RetentionOptions): Retention {
  const { store, clock, runs, report } = options
  const ended = createEndedTasks(options)

  async function sweep(now: number): Promise<number | null> {
    for (const { record, abort } of runs.all()) {
      if (record.expiresAt === null || now < record.expiresAt) continue
      const { taskId } = record.task
      runs.remove(taskId)
      abort(new TaskExpiredError('ttl', { taskId }))
    }
    ended.dropExpired(now)
    const next = await store.expire(now).catch((error: unknown) => {
      report(error, { source: 'server' })
      return null
    })
    const moments = [next, ...runs.all().map(({ record }) => record.expiresAt)].filter((at) => at !== null)
    return moments.length === 0 ? null : Math.min(...moments)
  }

  return {
    ...createSweeper(clock, sweep),
    async keep(record) {
      try {
        for (const taskId of ended.add(record)) await store.remove(taskId)
      } catch (error) {
        report(error, { source: 'server' })
      }
    },
  }
}
