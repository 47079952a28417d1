import { type Clock, unrefTimer } from '../base/clock.js'
import type { ReportError } from '../base/reportError.js'
import type { ClockCheck } from './clockCheck.js'
import type { TaskExecutor } from './executor.js'
import type { TaskLedger } from './taskLedger.js'
import type { TaskLease, TaskRecord } from './taskRecord.js'
import { isWaiting } from './taskReducer.js'
import type { TaskStore } from './taskStore.js'

/** Has work done again that was lost. */
export interface Rescue {
  /** Looks for leases that are over, or nearly. */
  look(): Promise<void>
  /** Starts a task that waits for its next worker. */
  restart(record: TaskRecord): Promise<void>
  /** When the store has last said what is lost, in ms since the epoch; at first the time of the start. */
  readonly lastLookAt: number
  stop(): void
}

/** What a {@link Rescue} is made of. */
export interface RescueOptions {
  readonly store: Pick<TaskStore, 'lapsed'>
  readonly clock: Clock
  readonly clockCheck: ClockCheck
  readonly ledger: TaskLedger
  readonly leaseMs: number
  /** How long before the end of its lease a worker stops. */
  readonly stopsBeforeMs: number
  /** Whether work may be done again, if it was not lost too often; undefined for tools that are not known here. */
  readonly mayRetry: (record: TaskRecord) => boolean | undefined
  /** Where work is done again. */
  readonly executor: TaskExecutor
  readonly report: ReportError
}

/** How long a lost task waits for a process that knows its tool, before one that does not declares it lost. */
const UNKNOWN_TOOL_MS = 15 * 60_000

/** How many lost leases are looked at in one go. */
const MAX_RESCUED = 100

/** A tool that takes so many processes with it is not started again. */
const MAX_TIMES_LOST = 5

/** How many runs of a task were lost, with the one that is. */
const timesLost = ({ attempt, handedOver = 0 }: TaskRecord): number => attempt - handedOver

/**
 * That a lease is over says the clock of this process, which may be wrong. What is certain without a clock: a worker that has not
 * renewed its lease for as long as it takes has stopped. So a lease that ends is watched for that long, and the work is taken only
 * if it is still the same then. The store compares: see `orphan` in `taskReducer.ts`.
 *
 * ```
 * leases take 30 s, and A is 40 s ahead
 * worker   until 30 .... until 37 .... until 45 .... until 52 .... until 60
 * A           watches "until 30" ................................. another one: nothing is lost, and the clocks disagree
 *
 * the worker is killed
 * worker   until 30 .... dead
 * A           watches "until 30" ................................. the same: A takes the work
 *
 * the worker is cut off from the store, with a renewal on its way
 * worker   until 30 .... sent: until 37 ........... stops: "until 30" was drawn 30 s ago
 * store                                   until 37, or never
 * A           watches "until 30" ................................. finds "until 37" and watches that, or takes the work
 *
 * two that find it lost
 * A           watches "until 30" ................................. takes the work, and starts the job
 * B              watches "until 30" ................................. another lease: leaves it
 *
 * A is set forward meanwhile, or sleeps: its timer takes no less than 30 s
 * ```
 *
 * A lease is watched from the moment on at which its worker stops, a quarter before its end, so that lost work is found within two.
 */
export function createRescue(options: RescueOptions): Rescue {
  const { store, clock, clockCheck, ledger, leaseMs, stopsBeforeMs, mayRetry, executor, report } = options
  /** Lost tasks that were looked at and are still lost: of tools that are not known here, and those that cannot be read. */
  const left = new Set<string>()
  /** The timers of tasks whose leases are watched. */
  const watched = new Map<string, unknown>()
  let lastLookAt = clock.now()
  const onError = (error: unknown) => report(error, { source: 'server' })

  async function rescueOne(taskId: string, now: number): Promise<void> {
    left.add(taskId)
    const record = await ledger.read(taskId)
    // Those who know the tool come first. Where it is gone everywhere, its tasks must not stay at work.
    const isKnown = record !== undefined && mayRetry(record) !== undefined
    if (!isKnown && now < (record?.lease?.until ?? now) + UNKNOWN_TOOL_MS) return
    // It waits for a worker, so there is none to watch.
    if (record?.lease !== undefined && isWaiting(record)) await take(record, record.lease)
    else if (record?.lease !== undefined) watch(record, record.lease)
    left.delete(taskId)
  }

  function watch(record: TaskRecord, lease: TaskLease): void {
    const { taskId } = record.task
    const timer = clock.setTimeout(() => {
      watched.delete(taskId)
      void take(record, lease).catch(onError)
    }, leaseMs)
    unrefTimer(timer)
    watched.set(taskId, timer)
  }

  async function take(record: TaskRecord, seen: TaskLease): Promise<void> {
    const isRetried = mayRetry(record) === true && timesLost(record) < MAX_TIMES_LOST
    const until = clock.now() + leaseMs
    const after = await ledger.apply(record.task.taskId, { type: 'orphan', mayRetry: isRetried, seen, until })
    if (after?.lease === undefined) return
    if (after.lease.worker === '' && after.lease.until === until) return restart(after)
    if (after.lease.worker === seen.worker && !isWaiting(record)) clockCheck.sawRenewal()
  }

  /** To the executor it is another job: one of the attempt before may still be about. */
  async function restart({ task, tool, attempt }: TaskRecord): Promise<void> {
    await executor.start({ taskId: task.taskId, tool, attempt: attempt + 1 })
  }

  /** Asks for more where some were left: they come again, and must not hide others. Once all were looked at, it begins with the first. */
  async function look(): Promise<void> {
    const now = clock.now()
    const found = (await store.lapsed?.(now + stopsBeforeMs, MAX_RESCUED + left.size + watched.size)) ?? []
    lastLookAt = now
    const lost = found.filter((taskId) => !left.has(taskId) && !watched.has(taskId)).slice(0, MAX_RESCUED)
    await Promise.all(lost.map((taskId) => rescueOne(taskId, now).catch(onError)))
    if (lost.length < MAX_RESCUED) left.clear()
  }

  return {
    look,
    restart,
    get lastLookAt() {
      return lastLookAt
    },
    stop() {
      for (const timer of watched.values()) clock.clearTimeout(timer)
    },
  }
}
