import type { CallStore } from './pageCalls.js'
import type { Runner } from './runner.js'

/** Which calls of this page have ended, with a key, without one, and in earlier visits. */
export interface EndedCalls {
  note(kind: 'keyed' | 'unkeyed' | 'recorded', callId: string): void
  delete(callId: string): void
  /** Drops those without a key that ended a while ago. Runs when a call starts, so no timer is needed. */
  dropOld(): void
}

/** How long a settled call without a key stays in the store, in ms: nothing can look it up again. */
const KEEP_SETTLED_MS = 5 * 60 * 1000

/** How many calls stay in the store once they have settled: so many with a key, without one, and of earlier visits. */
export const MAX_SETTLED = 200

export function createEndedCalls(
  { calls, now }: Pick<Runner, 'calls' | 'now'>,
  store: Pick<CallStore, 'isObserved'>,
  drop: (callId: string) => void,
): EndedCalls {
  /** Their ids, in the order in which they ended. */
  const ended = { keyed: new Set<string>(), unkeyed: new Set<string>(), recorded: new Set<string>() }

  function dropOld(): void {
    const before = now() - KEEP_SETTLED_MS
    for (const callId of ended.unkeyed) {
      const { stage } = calls.get(callId)?.call ?? {}
      if (stage?.name === 'settled' && stage.endedAt > before) break
      if (!store.isObserved(callId)) drop(callId)
    }
  }

  /** The oldest go. What is asked for again is found by its record, if its outcome was that of a task. */
  function keepNewest(ids: Set<string>, callId: string): void {
    ids.delete(callId)
    ids.add(callId)
    for (const oldest of ids) {
      if (ids.size <= MAX_SETTLED) return
      if (!store.isObserved(oldest)) drop(oldest)
    }
  }

  return {
    note: (kind, callId) => keepNewest(ended[kind], callId),
    delete: (callId) => {
      for (const ids of Object.values(ended)) ids.delete(callId)
    },
    dropOld,
  }
}
