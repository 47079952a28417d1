import { TaskError } from '../../protocol/errors.js'
import type { InputResponse } from '../../protocol/inputRequest.js'
import { isTerminal } from '../../protocol/task.js'
import type { EndedTaskLimits } from './endedTasks.js'
import { createLeases, isLeased, type LeaseOptions } from './leases.js'
import { createRetention } from './retention.js'
import { createStoreWatch } from './storeWatch.js'
import { createTaskFeed, type TaskFollower } from './taskFeed.js'
import { createTaskIntake, SERVER_CLOSED, type TaskIntake, type TaskIntakeOptions } from './taskIntake.js'
import { createTaskLedger } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'
import type { RunEvent } from './taskReducer.js'
import type { TaskRun } from './taskRun.js'
import { createTaskRuns } from './taskRuns.js'
import { whenOver } from './whenOver.js'

/** All tasks of a server: those in the store, and the work on those of this process. */
export interface TaskRuntime extends Omit<TaskIntake, 'close'> {
  /** The record of a task that is there and this owner's; undefined is all that anybody else learns. */
  read(taskId: string, owner: string): Promise<TaskRecord | undefined>
  /** Takes responses to open input requests; others are ignored. */
  answer(taskId: string, answers: Readonly<Record<string, InputResponse>>): Promise<void>
  requestCancel(taskId: string): Promise<void>
  /**
   * Resolves to how a task stands once it is over; to undefined where its ttl ends before. Rejects with the signal's
   * reason, and where this server closes.
   */
  whenOver(record: TaskRecord, signal: AbortSignal): Promise<TaskRecord | undefined>
  /** Calls a follower with every state of the tasks, until they are over. Returns a function that unsubscribes. */
  follow(taskIds: readonly string[], follower: TaskFollower): () => void
  /**
   * Ends a run with its outcome, unless the task is over already, and resolves to how it stands then; where
   * that cannot be told, to how it was created. Never rejects.
   */
  settle(run: TaskRun, outcome: TaskOutcome): Promise<TaskRecord>
  /** Lets work go on for so many ms; what is left then is handed to other workers where it may be run again, or has failed. */
  close(drainMs?: number): Promise<void>
}

/** How work ends. */
export type TaskOutcome = Extract<RunEvent, { type: 'complete' | 'fail' }>

/** What a {@link TaskRuntime} is made of. */
export interface TaskRuntimeOptions
  extends EndedTaskLimits,
    Omit<LeaseOptions, 'ledger'>,
    Pick<TaskIntakeOptions, 'maxTasks' | 'maxTasksPerOwner'> {
  /** How often tasks are read again that another process may change, in ms. */
  pollIntervalMs: number
}

/** The tasks of a server over a store. */
export function createTaskRuntime(options: TaskRuntimeOptions): TaskRuntime {
  const { store, clock, report } = options
  const ledger = createTaskLedger({ store, clock, onRecord })
  const leases = isLeased(store) ? createLeases({ ...options, ledger }) : undefined
  const runs = createTaskRuns(clock, leases)
  const retention = createRetention({ ...options, runs })
  const feed = createTaskFeed()
  const watch =
    store.isShared === false
      ? undefined
      : createStoreWatch({
          clock,
          intervalMs: options.pollIntervalMs,
          taskIds: () => new Set([...runs.taskIds(), ...feed.followed()]),
          read: look,
          subscribe: store.watch?.bind(store),
          isKnown: (taskId, version) => (runs.get(taskId)?.version ?? 0) >= version,
        })
  const intake = createTaskIntake({ ...options, ledger, leases, runs, retention, watch })

  function onRecord(record: TaskRecord): void {
    const { taskId, status } = record.task
    const run = runs.get(taskId)
    if (isTerminal(status)) runs.remove(taskId)
    run?.observe(record)
    feed.publish(record)
  }

  /** To read is to notice: see `onRecord`. */
  async function look(taskId: string): Promise<void> {
    try {
      if ((await ledger.read(taskId)) === undefined) feed.drop(taskId)
    } catch (error) {
      report(error, { source: 'server' })
    }
  }

  async function settle(run: TaskRun, outcome: TaskOutcome): Promise<TaskRecord> {
    const { record, by } = run
    const { taskId } = record.task
    try {
      // Its failing is the stopping. Whoever finds the lease over decides what becomes of the task.
      if (run.isLost && outcome.type === 'fail') return record
      const after = await ledger.apply(taskId, { ...outcome, by })
      if (after !== undefined && isTerminal(after.task.status)) await retention.keep(after)
      return after ?? record
    } catch (error) {
      report(error, { source: 'server' })
      return record
    } finally {
      // Also where the store has failed: there is no work any more.
      if (runs.get(taskId) === run) runs.remove(taskId)
    }
  }

  function follow(taskIds: readonly string[], follower: TaskFollower): () => void {
    const unfollow = feed.follow(taskIds, follower)
    watch?.start()
    return unfollow
  }

  /** Another worker gets the task, if there may be one and the tool may be run again. */
  async function giveUp(run: TaskRun): Promise<void> {
    if (!(await leases?.handOver(run))) await settle(run, { type: 'fail', error: SERVER_CLOSED })
  }

  return {
    create: intake.create,
    enqueue: intake.enqueue,
    claim: intake.claim,

    async read(taskId, owner) {
      const record = await ledger.read(taskId)
      return record?.owner === owner ? record : undefined
    },

    async answer(taskId, answers) {
      await ledger.apply(taskId, { type: 'answer', answers })
    },

    async requestCancel(taskId) {
      await ledger.apply(taskId, { type: 'requestCancel' })
    },

    follow,

    whenOver: (record, signal) => whenOver(record, signal, { ...options, ledger, follow }),

    settle,

    async close(drainMs = 0) {
      intake.close()
      await runs.drain(drainMs)
      retention.stop()
      watch?.stop()
      leases?.stop()
      const closing = runs.all()
      for (const { record } of closing) runs.remove(record.task.taskId)
      await Promise.all(closing.map(giveUp))
      for (const run of closing) run.abort(new TaskError(SERVER_CLOSED.message))
      feed.close()
    },
  }
}
