import { TaskExpiredError } from '../../core/protocol/errors.js'
import { isTerminal } from '../../core/protocol/task.js'
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

/** The pause after a sweep that failed, and between two attempts to postpone the expiry of a task, in ms. */
const AGAIN_MS = 60_000

/** The retention of the tasks of a store. */
export function createRetention(options: RetentionOptions): Retention {
  const { store, clock, ledger, runs, report } = options
  const ended = createEndedTasks(options)
  /** Until when the expiry of a run is not postponed again, in ms since the epoch. */
  const restsUntil = new WeakMap<TaskRun, number>()

  /** When something has to be done about the expiry of a run; Infinity: never. */
  function dueAt(run: TaskRun): number {
    const due = expiryDueAt(run.latest) ?? Number.POSITIVE_INFINITY
    const rested = Math.max(due, restsUntil.get(run) ?? due)
    return runs.keeps(run.latest) ? rested : Math.min(rested, run.latest.expiresAt ?? rested)
  }

  const isPast = ({ latest: { expiresAt } }: TaskRun, now: number) => expiresAt !== null && expiresAt <= now
  const hasExpired = (run: TaskRun, now: number) => isPast(run, now) && !runs.keeps(run.latest)

  async function sweep(now: number): Promise<number | null> {
    const overdue: Promise<void>[] = []
    for (const run of runs.all()) {
      if (hasExpired(run, now)) void expire(run)
      else if (dueAt(run) <= now) {
        const extended = extend(run, now)
        // The process has slept, and the store would remove the task.
        if (isPast(run, now)) overdue.push(extended)
      }
    }
    ended.dropExpired(now)
    await Promise.all(overdue)
    const next = await store.expire(now).catch((error: unknown) => {
      report(error, { source: 'server' })
      return now + AGAIN_MS
    })
    const left = runs.all().filter((run) => !hasExpired(run, now))
    const earliest = Math.min(next ?? Number.POSITIVE_INFINITY, ...left.map(dueAt))
    return Number.isFinite(earliest) ? earliest : null
  }

  /**
   * Asks the store first: another process may have taken a response at the last moment, and this one
   * may not have heard of that.
   */
  async function expire(run: TaskRun): Promise<void> {
    const { taskId } = run.record.task
    const record = await ledger.read(taskId).catch(() => undefined)
    if (record === undefined) stop(run)
  }

  /** In its own time, where there is some left: a store that does not answer must not hold up the sweep. */
  async function extend(run: TaskRun, now: number): Promise<void> {
    restsUntil.set(run, now + AGAIN_MS)
    try {
      const record = await ledger.apply(run.record.task.taskId, { type: 'extend', by: run.by })
      if (record === undefined) stop(run)
    } catch (error) {
      report(error, { source: 'server' })
    }
  }

  /** The task is gone. Another run may have begun under its id. */
  function stop(run: TaskRun): void {
    const { taskId } = run.record.task
    if (runs.get(taskId) !== run) return
    runs.remove(taskId)
    run.abort(new TaskExpiredError('ttl', { taskId }))
  }

  const sweeper = createSweeper(clock, sweep)

  return {
    stop: sweeper.stop,
    watch(record) {
      const { taskId, status } = record.task
      if (!isTerminal(status)) ended.drop(taskId)
      const run = runs.get(taskId)
      sweeper.due(run === undefined ? record.expiresAt : dueAt(run))
    },
    async keep(record) {
      try {
        for (const taskId of ended.add(record)) await store.remove(taskId)
      } catch (error) {
        report(error, { source: 'server' })
      }
    },
  }
}
