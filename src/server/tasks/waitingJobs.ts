import type { Clock } from '../base/clock.js'
import type { TaskExecutor } from './executor.js'

/** How many jobs wait for a worker, as far as this process knows. */
export interface WaitingJobs {
  /** What the executor said last, and when. Never waits: it asks for the next time, once a second at most. */
  latest(): WaitingCount | undefined
}

/** How many jobs waited, and at which time, in ms since the epoch. */
export interface WaitingCount {
  readonly count: number
  readonly at: number
}

/** One client asks the executor as often as ten thousand do. */
const ASK_AGAIN_MS = 1000

/** Knows nothing where the executor does not count its jobs. */
export function createWaitingJobs(executor: TaskExecutor | undefined, clock: Clock): WaitingJobs {
  let known: WaitingCount | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let isAsking = false

  async function ask(): Promise<void> {
    const at = clock.now()
    isAsking = true
    askedAt = at
    try {
      const count = await executor?.waiting?.()
      known = typeof count === 'number' && count >= 0 ? { count, at } : undefined
    } catch {
      // Clients do without. That the queue is out of reach, `start` says.
      known = undefined
    } finally {
      isAsking = false
    }
  }

  return {
    latest() {
      if (executor?.waiting !== undefined && !isAsking && clock.now() - askedAt >= ASK_AGAIN_MS) void ask()
      return known
    },
  }
}
