/** Which task may take the place of which in the record of a call. */
export interface Succession {
  /** The app has started the call once more, although it was known. */
  fresh(callId: string, nonce: string): void
  /** Nothing can be asked of this call any more: its record could not be used. */
  waive(callId: string): void
  isWaived(callId: string): boolean
  /** The record of one task is replaced by that of another; undefined for an intent, or none. Says whether that may be. */
  replaced(callId: string, before: string | undefined, by: string | undefined): boolean
}

/**
 * A task that a fresh start has led to may take the place of any other, once: when it is recorded first; and of that other once more,
 * where a storage that takes its time has let an earlier write be the last. An intent may, while a fresh start has not led to a task yet.
 */
export function createSuccession(nonceOf: (taskId: string) => string | undefined): Succession {
  const pending = new Map<string, Set<string>>()
  const waived = new Set<string>()
  /** Which task has taken the place of which. */
  const taken = new Set<string>()

  return {
    fresh: (callId, nonce) => {
      pending.set(callId, (pending.get(callId) ?? new Set()).add(nonce))
    },
    waive: (callId) => {
      waived.add(callId)
    },
    isWaived: (callId) => waived.has(callId),
    replaced: (callId, before, by) => {
      const starts = pending.get(callId) ?? new Set()
      const isFresh = by === undefined ? starts.size > 0 : starts.delete(nonceOf(by) ?? '')
      const place = `${by} ${before}`
      if (isFresh && by !== undefined) taken.add(place)
      return isFresh || taken.has(place) || waived.has(callId)
    },
  }
}
