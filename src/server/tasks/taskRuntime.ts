import { TaskError } from '../../core/protocol/errors.js'
import type { InputResponse } from '../../core/protocol/inputRequest.js'
import { isTerminal } from '../../core/protocol/task.js'
import type { Clock } from '../base/clock.js'
import { sleep } from '../base/sleep.js'
import { createUnderWay } from '../base/underWay.js'
import { createClockCheck } from './clockCheck.js'
import type { EndedTaskLimits } from './endedTasks.js'
import { createLeases, isLeased, type LeaseOptions } from './leases.js'
import { createRetention } from './retention.js'
import { createSettlement, type Settlement } from './settlement.js'
import { createStoreWatch } from './storeWatch.js'
import { createTaskFeed, type TaskFollower } from './taskFeed.js'
import { createTaskIntake, SERVER_CLOSED, type TaskIntake, type TaskIntakeOptions } from './taskIntake.js'
import { createTaskLedger } from './taskLedger.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskEvent } from './taskReducer.js'
import type { TaskRun } from './taskRun.js'
import { createTaskRuns } from './taskRuns.js'
import { whenOver } from './whenOver.js'

/** All tasks of a server: those in the store, and the work on those of this process. */
export interface TaskRuntime extends Omit<TaskIntake, 'close' | 'note'>, Pick<Settlement, 'settle'> {
  /** The record of a task that is there and this owner's; undefined is all that anybody else learns. */
  read(taskId: string, owner: string): Promise<TaskRecord | undefined>
  /** The record of a task that is there, whoever owns it: for operators. */
  find(taskId: string): Promise<TaskRecord | undefined>
  /** How many tasks are worked on here, or wait for their turn. */
  readonly running: number
  /** When claims were last renewed, in ms since the epoch; null where there are none. */
  lastRenewalAt(): number | null
  /** Takes responses to open input requests; others are ignored. */
  answer(taskId: string, answers: Readonly<Record<string, InputResponse>>): Promise<void>
  requestCancel(taskId: string): Promise<void>
  /** Notes that the call of a failed task was made again. */
  noteRunAgain(taskId: string): Promise<void>
  /**
   * Resolves to how a task stands once it is over; to undefined where its ttl ends before. Rejects with the signal's
   * reason, and where this server closes.
   */
  whenOver(
    record: TaskRecord,
    signal: AbortSignal,
    isAnswer?: (record: TaskRecord) => boolean,
  ): Promise<TaskRecord | undefined>
  /** Calls a follower with every state of the tasks, until they are over. Returns a function that unsubscribes. */
  follow(taskIds: readonly string[], follower: TaskFollower): () => void
  /** The same call, which `close` lets go on as it does tasks: of one without a task nothing else is known here. */
  track<T>(call: Promise<T>): Promise<T>
  /** Lets work go on for so many ms; what is left then is handed to other workers where it may be run again, or has failed. */
  close(drainMs?: number): Promise<void>
}

/** What a {@link TaskRuntime} is made of. */
export interface TaskRuntimeOptions
  extends EndedTaskLimits,
    Omit<LeaseOptions, 'ledger' | 'clockCheck'>,
    Pick<TaskIntakeOptions, 'maxTasks' | 'maxTasksPerOwner'> {
  /** How often tasks are read again that another process may change, in ms. */
  pollIntervalMs: number
}

/** The tasks of a server over a store. */
export function createTaskRuntime(options: TaskRuntimeOptions): TaskRuntime {
  const { store, clock, report, notify } = options
  const clockCheck = createClockCheck(clock, options.leaseMs, report)
  const ledger = createTaskLedger({
    store,
    clock,
    known: (taskId) => runs.get(taskId)?.latest,
    isKept: (record) => runs.keeps(record),
    onRecord,
    onEnded: (record) => retention.keep(record),
    notify,
  })
  const leases = isLeased(store) ? createLeases({ ...options, ledger, clockCheck }) : undefined
  const runs = createTaskRuns(leases)
  const retention = createRetention({ ...options, ledger, runs })
  const settlement = createSettlement({ ...options, ledger, runs })
  const calls = createUnderWay()
  const feed = createTaskFeed()
  const watch =
    store.isShared === false && store.watch === undefined
      ? undefined
      : createStoreWatch({
          clock,
          intervalMs: store.isShared === false ? undefined : options.pollIntervalMs,
          taskIds: () => new Set([...runs.taskIds(), ...feed.followed()]),
          read: look,
          subscribe: store.watch?.bind(store),
          isNews(taskId, version) {
            intake.note(taskId, version)
            const run = runs.get(taskId)
            return run === undefined ? feed.isFollowed(taskId) : run.latest.version < version
          },
        })
  const intake = createTaskIntake({ ...options, ledger, leases, runs, retention, watch })

  function onRecord(record: TaskRecord): void {
    const { taskId, status } = record.task
    const run = runs.get(taskId)
    if (store.isShared !== false) clockCheck.look(record)
    if (isTerminal(status)) runs.remove(taskId)
    run?.observe(record)
    retention.watch(record)
    feed.publish(record)
  }

  async function change(taskId: string, event: TaskEvent): Promise<void> {
    await ledger.apply(taskId, event)
  }

  /** To read is to notice: see `onRecord`. */
  async function look(taskId: string): Promise<void> {
    try {
      if ((await ledger.read(taskId)) === undefined) feed.drop(taskId)
    } catch (error) {
      report(error, { source: 'server' })
    }
  }

  function follow(taskIds: readonly string[], follower: TaskFollower): () => void {
    const unfollow = feed.follow(taskIds, follower)
    watch?.start()
    return unfollow
  }

  /** Another worker gets the task, if there may be one and the tool may be run again. How the handler ends then is the stopping. */
  async function giveUp(run: TaskRun): Promise<void> {
    if (await leases?.handOver(run)) run.lose()
    else await settlement.settle(run, { type: 'fail', error: SERVER_CLOSED })
    run.abort(new TaskError(SERVER_CLOSED.message))
  }

  return {
    create: intake.create,
    enqueue: intake.enqueue,
    claim: intake.claim,
    giveBack: intake.giveBack,

    async read(taskId, owner) {
      const record = await ledger.read(taskId)
      return record?.owner === owner ? record : undefined
    },

    find: (taskId) => ledger.read(taskId),
    get running() {
      return runs.atWork.total
    },
    lastRenewalAt: () => leases?.lastRenewalAt ?? null,

    answer: (taskId, answers) => change(taskId, { type: 'answer', answers }),
    requestCancel: (taskId) => change(taskId, { type: 'requestCancel' }),
    noteRunAgain: (taskId) => change(taskId, { type: 'runAgain' }),
    follow,

    whenOver: (record, signal, isAnswer) => whenOver(record, signal, { ...options, ledger, follow }, isAnswer),

    settle: settlement.settle,
    track: calls.track,

    async close(drainMs = 0) {
      const entered = intake.close()
      await atMost(drainMs, clock, () => Promise.all([runs.ended(), calls.ended()]))
      await entered
      retention.stop()
      watch?.stop()
      leases?.stop()
      const closing = runs.all()
      for (const { record } of closing) runs.remove(record.task.taskId)
      await Promise.all(closing.map(giveUp))
      await settlement.close()
      feed.close()
    },
  }
}

/** Waits for what ends, for so many ms at most. */
async function atMost(ms: number, clock: Clock, ended: () => Promise<unknown>): Promise<void> {
  if (ms <= 0) return
  const hasEnded = new AbortController()
  void ended().then(() => hasEnded.abort())
  await sleep(clock, ms, hasEnded.signal).catch(() => {})
}
