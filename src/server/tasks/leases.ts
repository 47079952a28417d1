import { TaskError } from '../../core/protocol/errors.js'
import type { Clock } from '../base/clock.js'
import { repeat } from '../base/repeat.js'
import type { ReportError } from '../base/reportError.js'
import type { NotifyServer } from '../base/taskServerEvents.js'
import type { TaskExecutor } from './executor.js'
import { taskHash } from './taskChanges.js'
import type { TaskLedger } from './taskLedger.js'
import type { TaskLease, TaskRecord } from './taskRecord.js'
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
export interface LeaseOptions {
  store: TaskStore
  clock: Clock
  ledger: TaskLedger
  leaseMs: number
  /** Whether work may be done again, if it was not lost too often; undefined for tools that are not known here. */
  mayRetry: (record: TaskRecord) => boolean | undefined
  /** Where work is done again. */
  executor: TaskExecutor
  report: ReportError
  notify: NotifyServer
}

/** Often enough that a lost worker is found within two lease times, and one that fails to renew once keeps its work. */
const TICKS_PER_LEASE = 4

/** How long a lost task waits for a process that knows its tool, before one that does not declares it lost. */
const UNKNOWN_TOOL_MS = 15 * 60_000

/** How many lost leases are looked at in one go. */
const MAX_RESCUED = 100

/** A tool that takes so many processes with it is not started again. */
const MAX_TIMES_LOST = 5

/** How many runs of a task were lost, with the one that is. */
const timesLost = ({ attempt, handedOver = 0 }: TaskRecord): number => attempt - handedOver

/** Whether processes claim the work of tasks: where there may be others, and what they lose can be found. */
export function isLeased(store: Pick<TaskStore, 'isShared' | 'lapsed'>): boolean {
  return store.isShared !== false && store.lapsed !== undefined
}

/** Leases of one process. Its clock and those of the others must agree within a small part of `leaseMs`. */
export function createLeases(options: LeaseOptions): Leases {
  const { store, clock, ledger, leaseMs, mayRetry, executor, report, notify } = options
  /** Until when each run counts as ours, for all we know. */
  const held = new Map<TaskRun, number>()
  const busy = new Set<unknown>()
  /** Lost tasks that were looked at and are still lost: of tools that are not known here, and those that cannot be read. */
  const left = new Set<string>()
  let drawn = 0
  let lastRenewalAt = clock.now()
  const worker = crypto.randomUUID()
  const untilNow = () => clock.now() + leaseMs
  const tickMs = leaseMs / TICKS_PER_LEASE
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

  /** Asks for more where some were left: they come again, and must not hide others. Once all were looked at, it begins with the first. */
  async function rescue(now: number): Promise<void> {
    const found = (await store.lapsed?.(now, MAX_RESCUED + left.size)) ?? []
    lastRenewalAt = now
    const lost = found.filter((taskId) => !left.has(taskId)).slice(0, MAX_RESCUED)
    await Promise.all(lost.map((taskId) => rescueOne(taskId, now).catch(onError)))
    if (lost.length < MAX_RESCUED) left.clear()
  }

  async function rescueOne(taskId: string, now: number): Promise<void> {
    left.add(taskId)
    const record = await ledger.read(taskId)
    const retry = record && mayRetry(record)
    // Those who know the tool come first. Where it is gone everywhere, its tasks must not stay at work.
    if (retry === undefined && now < (record?.lease?.until ?? now) + UNKNOWN_TOOL_MS) return
    const isRetried = retry === true && timesLost(record) < MAX_TIMES_LOST
    const after = await ledger.apply(taskId, { type: 'orphan', mayRetry: isRetried, until: untilNow() })
    left.delete(taskId)
    if (after?.lease?.worker === '') await restart(after)
  }

  /** To the executor it is another job: one of the attempt before may still be about. */
  async function restart({ task, tool, attempt }: TaskRecord): Promise<void> {
    await executor.start({ taskId: task.taskId, tool, attempt: attempt + 1 })
  }

  let tickedAt = clock.now()
  const stop = repeat(clock, tickMs, () => {
    const now = clock.now()
    const pausedMs = now - tickedAt
    tickedAt = now
    const lost = [...held].filter(([, until]) => isOver(until)).length
    if (lost > 0 && pausedMs > 2 * tickMs) report(wasBlocked(pausedMs, lost), { source: 'server' })
    for (const [run, until] of held) {
      if (isOver(until)) lose(run)
      else start(run, () => renew(run))
    }
    start(rescue, () => rescue(now))
  })

  return {
    draw(claim) {
      if (claim !== undefined) return { worker: claim, until: untilNow() }
      drawn += 1
      return { worker: `${worker}/${drawn}`, until: untilNow() }
    },
    untilClaimed: untilNow,
    get lastRenewalAt() {
      return lastRenewalAt
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
        await restart(after)
      } catch (error) {
        report(error, { source: 'server' })
      }
      return true
    },
    stop,
  }
}

function wasBlocked(ms: number, tasks: number): TaskError {
  return new TaskError(
    `The process did not run for ${ms} ms, and ${tasks} of its tasks count as lost. ` +
      'Move long computations to a worker thread, or raise `leaseMs`.',
  )
}
