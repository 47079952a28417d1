import type { Locks } from '../../src/core/environment/environment.js'

/**
 * Another script of the origin, which takes the lead away from tabs that have it. Nobody steals the lock under which a call is
 * made: it is what keeps two tabs from making it.
 */
export interface LockThief {
  /** A page has asked for a lock of this name. */
  note(name: string): void
  /** Takes one of the locks that pages have asked for, and holds it for so long. Returns its name. */
  steal(index: number, ms: number): string | undefined
}

export function createLockThief(
  locks: Locks | undefined,
  later: (callback: () => void, delayMs: number) => void,
): LockThief {
  const names = new Set<string>()
  return {
    note: (name) => {
      if (!name.includes(':call:')) names.add(name)
    },
    steal: (index, ms) => {
      const name = [...names][index % Math.max(1, names.size)]
      if (name === undefined || locks === undefined) return undefined
      const hold = () => new Promise<void>((resolve) => later(resolve, ms))
      // A tab may steal it back.
      locks.request(name, { steal: true }, hold).catch(() => {})
      return name
    },
  }
}
