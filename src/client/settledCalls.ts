import type { Call } from '../call/call.js'

/** Which calls of this page have settled. They stay in the store for a while, and so many of them. */
export interface SettledCalls {
  note(call: Call): void
  delete(callId: string): void
  /** Without a timer, which would keep a page or a process busy for nothing: calls only pile up where calls are made. */
  dropOld(): void
}

export interface SettledCallsOptions {
  readonly now: () => number
  /** True if somebody listens to this call: it stays. */
  readonly isObserved: (callId: string) => boolean
  readonly drop: (callId: string) => void
}

/** How long a settled call without a key stays in the store, in ms: nothing can look it up again. */
const KEEP_SETTLED_MS = 5 * 60 * 1000

/** How many calls stay in the store once they have settled: so many with a key, and so many without. */
const MAX_SETTLED = 200

export function createSettledCalls({ now, isObserved, drop }: SettledCallsOptions): SettledCalls {
  /** When the calls with a key, and those without, ended, in that order. */
  const keyed = new Map<string, number>()
  const unkeyed = new Map<string, number>()
  return {
    note: ({ callId, key }) => {
      const alike = key === undefined ? unkeyed : keyed
      alike.set(callId, now())
      // The oldest go. What is asked for again is found by its record, if its outcome was that of a task.
      for (const oldest of alike.keys()) {
        if (alike.size <= MAX_SETTLED) return
        if (!isObserved(oldest)) drop(oldest)
      }
    },
    delete: (callId) => {
      keyed.delete(callId)
      unkeyed.delete(callId)
    },
    dropOld: () => {
      const before = now() - KEEP_SETTLED_MS
      for (const [callId, at] of unkeyed) {
        if (at > before) break
        if (!isObserved(callId)) drop(callId)
      }
    },
  }
}
