/** One `startToolCall` of the app. */
export interface Start {
  readonly nonce: string
  /** The call: the same for starts with the same key. */
  readonly callId: string
  /** Counts up. */
  readonly order: number
  /** Whether calling twice does no harm: made again, it is no duplicate. */
  readonly isRepeatable: boolean
}

/** Counts how often tools were run, and how often they may have been. */
export interface CallLedger {
  /** The app has started a call. */
  started(start: Start): void
  /** A `tools/call` has left its page. */
  sent(nonce: string): void
  /** The server has run the tool. False, where it should not have. */
  executed(nonce: string): boolean
  /** The call may be made, as if it never had been: what it came to is known, or given up. */
  permit(callId: string): void
  /** The app wants the call made once more. */
  permitFresh(callId: string): void
  /** The server has forgotten what it has run: each call may be made once more, and be sent again under its key. */
  forgotten(): void
  start(nonce: string): Start | undefined
  /** Whether the call was ever started. */
  knows(callId: string): boolean
  isStartedSince(callId: string, order: number): boolean
  /** Every call that was ever started. */
  calls(): Iterable<string>
}

/**
 * At most once: a start never leads to two executions, and however many starts a key has had, they lead to
 * one, until something permits another.
 */
export function createCallLedger(): CallLedger {
  const starts = new Map<string, Start>()
  const executions = new Map<string, number>()
  const permits = new Map<string, number>()
  /** Starts whose `tools/call` has not arrived: it may still. */
  const underWay = new Set<string>()
  const countUnderWay = (callId: string) => [...underWay].filter((nonce) => starts.get(nonce)?.callId === callId).length

  return {
    started: (start) => {
      starts.set(start.nonce, start)
      if (!permits.has(start.callId)) permits.set(start.callId, 1)
    },
    sent: (nonce) => {
      if (!executions.has(nonce)) underWay.add(nonce)
    },
    executed: (nonce) => {
      underWay.delete(nonce)
      const start = starts.get(nonce)
      if (start === undefined) return true
      const times = (executions.get(nonce) ?? 0) + 1
      executions.set(nonce, times)
      const left = (permits.get(start.callId) ?? 0) - 1
      permits.set(start.callId, Math.max(0, left))
      return times === 1 && (left >= 0 || start.isRepeatable)
    },
    permit: (callId) => {
      // What was permitted to those that are on their way is theirs.
      permits.set(callId, Math.max(1 + countUnderWay(callId), permits.get(callId) ?? 1))
    },
    permitFresh: (callId) => {
      permits.set(callId, (permits.get(callId) ?? 0) + 1)
    },
    forgotten: () => {
      executions.clear()
      for (const [callId, left] of permits) permits.set(callId, left + 1)
    },
    start: (nonce) => starts.get(nonce),
    knows: (callId) => permits.has(callId),
    isStartedSince: (callId, order) =>
      [...starts.values()].some((start) => start.callId === callId && start.order > order),
    calls: () => permits.keys(),
  }
}
