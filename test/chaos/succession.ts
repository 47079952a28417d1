/** Which task may take the place of which in the record of a call. */
export interface Succession {
  /** The app has started the call once more, although it was known. */
  fresh(callId: string, nonce: string): void
  /** Nothing can be asked of this call any more: its record could not be used. */
  waive(callId: string): void
  isWaived(callId: string): boolean
  /** A record of one task is replaced by one of another, or by an intent. Says whether that may be. */
  replaced(callId: string, by: string | undefined): boolean
}

/**
 * A task that a fresh start has led to may take the place of any other, once: when it is recorded first. An
 * intent may, while a fresh start has not led to a task yet.
 */
export function createSuccession(nonceOf: (taskId: string) => string | undefined): Succession {
  const pending = new Map<string, Set<string>>()
  const waived = new Set<string>()

  return {
    fresh: (callId, nonce) => {
      pending.set(callId, (pending.get(callId) ?? new Set()).add(nonce))
    },
    waive: (callId) => {
      waived.add(callId)
    },
    isWaived: (callId) => waived.has(callId),
    replaced: (callId, by) => {
      const starts = pending.get(callId) ?? new Set()
      const isFresh = by === undefined ? starts.size > 0 : starts.delete(nonceOf(by) ?? '')
      return isFresh || waived.has(callId)
    },
  }
}
