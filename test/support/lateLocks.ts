import type { Environment, Locks } from '../../src/core/environment/environment.js'

/**
 * The locks of a page that hears so many ms late of those that it has lost: by default in the same instant, but after the timers that are
 * due, as a page that wakes.
 */
export function lateLocks(locks: Locks, { setTimeout }: Pick<Environment, 'setTimeout'>, lateMs = 0): Locks {
  return {
    request: (name, options, hold) =>
      locks.request(name, options, hold).catch(async (error: unknown) => {
        await new Promise<void>((resolve) => setTimeout(resolve, lateMs))
        throw error
      }),
  }
}
