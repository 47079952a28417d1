import { TaskStorageError } from '../core/protocol/errors.js'
import type { Clock } from './base/clock.js'
import type { TaskExecutor } from './tasks/executor.js'
import type { TaskStore } from './tasks/taskStore.js'

/** The health of a process. Times are in ms. */
export interface TaskHealth {
  /** True if the process can take requests and jobs: all parts below are healthy, and the process is not closing. */
  readonly isReady: boolean
  readonly isClosing: boolean
  readonly store: PartHealth
  /** The health of the queue. Absent if there is no `executor`. */
  readonly queue?: PartHealth & {
    /** How many jobs wait for a worker, if the queue counts them. */
    readonly waiting?: number
  }
  /**
   * When this process last looked for lost work and renewed its claims, in ms since the epoch; null if it renews no claims.
   */
  readonly lastRenewalAt: number | null
  /** How late a timer of this process fires. Above a quarter of `leaseMs`, its claims are in danger. */
  readonly eventLoopDelayMs: number
}

/** The health of a part. */
export interface PartHealth {
  readonly isReachable: boolean
  /** How long the part took to answer or to fail. */
  readonly ms: number
  /** Why the part cannot be reached. For logs only: it may name hosts. */
  readonly error?: unknown
}

/** What a health is made of. */
export interface HealthOptions {
  readonly store: Pick<TaskStore, 'get'>
  readonly executor?: TaskExecutor
  readonly clock: Clock
  readonly leaseMs: number
  readonly lastRenewalAt: () => number | null
  readonly isClosing: () => boolean
}

/** How long a part may take to answer, in ms: less than probes wait. */
const PATIENCE_MS = 2000
/** An id that no task has. */
const NO_TASK = 'taskwire-health'
/** How much later than asked for a timer may fire, as a share of the lease. */
const LATE = 0.25
/** After how many leases without a renewal a process counts as stuck. */
const STALE_LEASES = 2

/** Looks at a process and at what it depends on. Never rejects. */
export async function checkHealth(options: HealthOptions): Promise<TaskHealth> {
  const { store, executor, clock, leaseMs } = options
  let waiting: number | undefined
  const askQueue = async () => {
    await executor?.ready?.()
    waiting = await executor?.waiting?.()
  }
  const [eventLoopDelayMs, ofStore, ofQueue] = await Promise.all([
    eventLoopDelay(clock),
    ask(clock, () => store.get(NO_TASK)),
    executor && ask(clock, askQueue),
  ])
  const lastRenewalAt = options.lastRenewalAt()
  const isStuck = lastRenewalAt !== null && clock.now() - lastRenewalAt > STALE_LEASES * leaseMs
  const isClosing = options.isClosing()
  const isReachable = ofStore.isReachable && ofQueue?.isReachable !== false
  return {
    isReady: isReachable && !isStuck && !isClosing && eventLoopDelayMs <= LATE * leaseMs,
    isClosing,
    store: ofStore,
    ...(ofQueue && { queue: { ...ofQueue, ...(waiting !== undefined && { waiting }) } }),
    lastRenewalAt,
    eventLoopDelayMs,
  }
}

async function ask(clock: Clock, question: () => Promise<unknown>): Promise<PartHealth> {
  const askedAt = clock.now()
  let timer: unknown
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(new TaskStorageError(`No answer in ${PATIENCE_MS} ms.`)), PATIENCE_MS)
  })
  try {
    await Promise.race([question(), late])
    return { isReachable: true, ms: clock.now() - askedAt }
  } catch (error) {
    return { isReachable: false, ms: clock.now() - askedAt, error }
  } finally {
    clock.clearTimeout(timer)
  }
}

async function eventLoopDelay(clock: Clock): Promise<number> {
  const askedAt = clock.now()
  await new Promise<void>((resolve) => void clock.setTimeout(resolve, 0))
  return Math.max(0, clock.now() - askedAt)
}
