/**
 * When calls were forgotten, here or in another tab: a tab that does not know yet may still tell of them.
 *
 * What keeps a forgotten record from coming back:
 *
 * ```text
 * told by a tab that does not know yet    started before it was forgotten: passed over (news.ts)
 * a write that was on its way             its call is `left`, and `update` writes only what is there (learning.ts)
 * a page that was in the back-forward     finds no record, and drops the call (catchUp.ts)
 * cache or frozen
 * a first write that comes later          removed again by each tab that hears of the forgetting (catchUp.ts)
 * ```
 *
 * It comes back where the only tab with a first write under way ends before it hears of it.
 */
export interface Forgotten {
  /** Notes that a call, or every one, is forgotten now. Returns when that is, ms since the epoch: later than all times before. */
  forget(callId?: string): number
  /** Notes what another tab has forgotten. */
  note(callId: string | undefined, at: number): void
  /** True if the call was forgotten after it was started. */
  has(callId: string, startedAt: number): boolean
  /** A time for the start of a call, ms since the epoch: later than all times before, also in the same millisecond. */
  startTime(): number
}

export function createForgotten(now: () => number): Forgotten {
  const times = new Map<string | undefined, number>()
  let latest = 0

  function note(callId: string | undefined, at: number): void {
    latest = Math.max(at, latest)
    times.set(callId, Math.max(at, times.get(callId) ?? 0))
  }

  return {
    forget: (callId) => {
      const at = Math.max(now(), latest + 1)
      note(callId, at)
      return at
    },
    note,
    has: (callId, startedAt) => startedAt <= Math.max(times.get(undefined) ?? -1, times.get(callId) ?? -1),
    startTime: () => Math.max(now(), latest + 1),
  }
}
