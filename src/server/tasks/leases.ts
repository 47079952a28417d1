import type { Clock } from '../base/clock.js'
import { repeat } from '../base/repeat.js'
import type { TaskLease } from './taskRecord.js'
import type { TaskRun } from './taskRun.js'

/** Keeps the work of this process from counting as lost, and looks for work that was. */
export interface Leases {
  /** A claim for a new run. */
  draw(): TaskLease
  /** How long a task may wait for a worker before somebody looks after it, in ms since the epoch. */
  untilClaimed(): number
  /** Keeps a run claimed until it is dropped. */
  keep(run: TaskRun): void
  drop(run: TaskRun): void
  stop(): void
}

/** What {@link Leases} are made of. */
export interface LeaseOptions {
  clock: Clock
  leaseMs: number
  /** Renews the lease of a run. Resolves to whether that was written. Must not reject. */
  renew: (run: TaskRun, until: number) => Promise<boolean>
  /** Looks for leases that are over. Must not reject. */
  rescue: (now: number) => Promise<void>
}

/** Often enough that a lost worker is found within two lease times, and one that fails to renew once keeps its work. */
const TICKS_PER_LEASE = 4

/** Leases of one process. Its clock and those of the others must agree within a small part of `leaseMs`. */
export function createLeases({ clock, leaseMs, renew, rescue }: LeaseOptions): Leases {
  /** Until when each run counts as ours, for all we know. */
  const held = new Map<TaskRun, number>()
  const busy = new Set<unknown>()
  let drawn = 0
  const worker = crypto.randomUUID()

  /** One at a time under a key: a store that does not answer must not hold up the rest. */
  function start(key: unknown, work: () => Promise<void>): void {
    if (busy.has(key)) return
    busy.add(key)
    void work().finally(() => busy.delete(key))
  }

  const tickMs = leaseMs / TICKS_PER_LEASE
  const stop = repeat(clock, tickMs, () => {
    const now = clock.now()
    for (const [run, until] of held) {
      // Before another worker can have the task: two must not do the same work.
      if (until - now <= tickMs) run.lose()
      else
        start(run, async () => {
          const next = clock.now() + leaseMs
          if ((await renew(run, next)) && held.has(run)) held.set(run, next)
        })
    }
    start(rescue, () => rescue(now))
  })

  return {
    draw() {
      drawn += 1
      return { worker: `${worker}/${drawn}`, until: clock.now() + leaseMs }
    },
    untilClaimed: () => clock.now() + leaseMs,
    keep(run) {
      held.set(run, clock.now() + leaseMs)
    },
    drop: (run) => void held.delete(run),
    stop,
  }
}
