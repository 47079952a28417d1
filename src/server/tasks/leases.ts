import { TaskError } from '../../core/protocol/errors.js'
import { repeat } from '../base/repeat.js'
import type { NotifyServer } from '../base/taskServerEvents.js'
import { createRescue, type RescueOptions } from './rescue.js'
import { taskHash } from './taskChanges.js'
import type { TaskLease } from './taskRecord.js'
import { isHeldBy } from './taskReducer.js'
import type { TaskRun } from './taskRun.js'
import type { TaskStore } from './taskStore.js'

/** Keeps the work of this process from counting as lost, and has work done again that was lost. */
export interface Leases {
  /** A claim for a new run, under this id where one is drawn already. */
  draw(claim?: string): TaskLease
  /** How long a task may wait for a worker before somebody looks after it, in ms since the epoch. */
  untilClaimed(): number
  /** Keeps a run claimed until it is dropped. */
  keep(run: TaskRun): void
  drop(run: TaskRun): void
  /** True if another process may have the run's task, by the clock: also where this process has slept, and no timer has fired yet. */
  isOver(run: TaskRun): boolean
  /** Lets another worker have the task. Resolves to false where the tool may not be run again. Never rejects. */
  handOver(run: TaskRun): Promise<boolean>
  /** When the store has last taken part in this, in ms since the epoch; at first the time of the start. */
  readonly lastRenewalAt: number
  stop(): void
}

/** What {@link Leases} are made of. */
export interface LeaseOptions extends Omit<RescueOptions, 'stopsBeforeMs'> {
  readonly store: TaskStore
  readonly notify: NotifyServer
}

/** Often enough that a lost worker is found within two lease times, and one that fails to renew once keeps its work. */
const TICKS_PER_LEASE = 4

/** Whether processes claim the work of tasks: where there may be others, and what they lose can be found. */
export function isLeased(store: Pick<TaskStore, 'isShared' | 'lapsed'>): boolean {
  return store.isShared !== false && store.lapsed !== undefined
}

/** Leases of one process. */
export function createLeases(options: LeaseOptions): Leases {
  const { clock, ledger, leaseMs, mayRetry, report, notify } = options
  /** Until when each run counts as ours, for all we know. */
  const held = new Map<TaskRun, number>()
  const busy = new Set<unknown>()
  let drawn = 0
  const worker = crypto.randomUUID()
  const untilNow = () => clock.now() + leaseMs
  const tickMs = leaseMs / TICKS_PER_LEASE
  const rescue = createRescue({ ...options, stopsBeforeMs: tickMs })
  const onError = (error: unknown) => report(error, { source: 'server' })
  /** Before another worker can have the task: two must not do the same work. */
  const isOver = (until: number) => until - clock.now() <= tickMs

  /** One at a time under a key: a store that does not answer must not hold up the rest. */
  function start(key: unknown, work: () => Promise<void>): void {
    if (busy.has(key)) return
    busy.add(key)
    void work()
      .catch(onError)
      .finally(() => busy.delete(key))
  }

  function lose(run: TaskRun): void {
    const { task, tool, attempt } = run.record
    if (!run.isLost) notify({ type: 'lease-lost', task: taskHash(task.taskId), tool, attempt })
    run.lose()
  }

  async function renew(run: TaskRun): Promise<void> {
    const { record, by } = run
    const until = untilNow()
    const after = await ledger.apply(record.task.taskId, { type: 'renew', by, until })
    if (after !== undefined && isHeldBy(after, by) && held.has(run)) held.set(run, until)
  }

  let tickedAt = clock.now()
  const stopTicks = repeat(clock, tickMs, () => {
    const now = clock.now()
    const pausedMs = now - tickedAt
    tickedAt = now
    // The timer has waited that long. Where the clock was set back, it is as much until each claim ends.
    const setBackMs = Math.max(0, tickMs - pausedMs)
    if (setBackMs > 0) for (const [run, until] of held) held.set(run, until - setBackMs)
    const lost = [...held].filter(([, until]) => isOver(until)).length
    if (lost > 0 && pausedMs > 2 * tickMs) report(wasBlocked(pausedMs, lost), { source: 'server' })
    for (const [run, until] of held) {
      if (isOver(until)) lose(run)
      else start(run, () => renew(run))
    }
    start(rescue, rescue.look)
  })

  return {
    draw(claim) {
      if (claim !== undefined) return { worker: claim, until: untilNow() }
      drawn += 1
      return { worker: `${worker}/${drawn}`, until: untilNow() }
    },
    untilClaimed: untilNow,
    get lastRenewalAt() {
      return rescue.lastLookAt
    },
    keep(run) {
      // Its claim was drawn a while ago, if the store took its time.
      held.set(run, run.record.lease?.until ?? untilNow())
    },
    drop: (run) => void held.delete(run),
    isOver: (run) => isOver(held.get(run) ?? Number.POSITIVE_INFINITY),
    async handOver(run) {
      const { record, by } = run
      if (mayRetry(record) !== true) return false
      try {
        const after = await ledger.apply(record.task.taskId, { type: 'handOver', by, until: clock.now() })
        if (after?.lease?.worker !== '') return false
        // Before another worker can begin.
        run.lose()
        await rescue.restart(after)
      } catch (error) {
        report(error, { source: 'server' })
      }
      return true
    },
    stop() {
      stopTicks()
      rescue.stop()
    },
  }
}

function wasBlocked(ms: number, tasks: number): TaskError {
  return new TaskError(
    `The process did not run for ${ms} ms, and ${tasks} of its tasks count as lost. ` +
      'Move long computations to a worker thread, or raise `leaseMs`.',
  )
}
