import type { Clock } from '../base/clock.js'

/** How long a count is used, in ms: as long as a few statements take. */
const FRESH_MS = 100
/** Fewer tasks are counted at no cost that matters. */
const MANY_TASKS = 200

/** What this process knows of how many tasks owners have at work. */
export interface OwnerCounts {
  /** How many an owner has, or undefined where they have to be counted. */
  known(owner: string, maxAtWork: number): number | undefined
  /** Notes how many an owner has now. */
  note(owner: string, tasks: number): void
}

/**
 * Remembers for a moment how many tasks an owner has, those included that this process has added since. To count thousands of tasks
 * for the few that come takes most of the time that it takes to store them. What other processes add meanwhile is missing, so an
 * owner who has more than half of the tasks that are allowed is counted each time.
 */
export function createOwnerCounts(clock: Pick<Clock, 'now'>): OwnerCounts {
  let counts = new Map<string, number>()
  let since = clock.now()

  function forgetOld(): void {
    const now = clock.now()
    if (Math.abs(now - since) < FRESH_MS) return
    counts = new Map()
    since = now
  }

  return {
    known(owner, maxAtWork) {
      forgetOld()
      const tasks = counts.get(owner) ?? 0
      return tasks >= MANY_TASKS && tasks <= maxAtWork / 2 ? tasks : undefined
    },
    note: (owner, tasks) => void counts.set(owner, tasks),
  }
}
