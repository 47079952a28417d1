import { now, type Run } from './run.js'

/*
 * When calls were forgotten, here or in another tab: a tab that does not know yet may still tell of them.
 *
 * What keeps a forgotten record from coming back:
 *
 * ```text
 * told by a tab that does not know yet    started before it was forgotten: passed over (news.ts)
 * a write that was on its way             its call is `left`, and `update` writes only what is there (showing.ts)
 * a page that was cached or frozen        finds no record, and drops the call, also one that has ended, or was sent and has no
 *                                         task yet (catchUp.ts)
 * a tab with a storage of its own         removes it there when it hears of the forgetting (forget.ts)
 * a page opened while a storage removes   hears of it once more when the record is removed (forget.ts)
 * a call that is about to be sent again   is not written again (send.ts)
 * a first write that comes later          removed again by the tab that has written it, when it hears of the forgetting (forget.ts)
 * ```
 *
 * It comes back where
 * - the storage refuses to remove it, or a tab with a storage of its own does not listen
 * - the tab with a first write under way ends before it hears of it, or hears of it after the clock was set back
 * - a page is frozen in the middle of a write
 * - a page in the back-forward cache has not sent the call yet, or takes its response before it is shown again
 * - the clock was set back after the call was made, and a tab tells of it in the moment in which it is forgotten
 *
 * A tab that was frozen without an event while it polled may tell of it before it hears that it was forgotten: no record comes back, but a
 * tab that was opened since shows the call to its end.
 *
 * Where the clock was set back after the forgetting, a tab that hears of it late may drop a call that was made since. Its record stays:
 * the call is found again, and not made twice. Where two tabs had forgotten by the time of the call, its record goes, too.
 */

/** How far ahead of the clock a call may be started or forgotten, in ms: each that is forgotten in the same millisecond adds one. */
export const AHEAD_MS = 100

/**
 * Notes that a call, or every one, is forgotten now. Returns when that is, ms since the epoch: later than every such time before, and no
 * earlier than these calls, which may be ahead by a clock that was set back.
 */
export function noteForgottenNow(run: Run, callId?: string): number {
  const latest = now(run) + AHEAD_MS
  let at = startTime(run)
  for (const entry of callId === undefined ? run.calls.values() : [run.calls.get(callId)]) {
    const startedAt = entry?.call.startedAt ?? 0
    if (startedAt <= latest) at = Math.max(at, startedAt)
  }
  noteForgotten(run, callId, at)
  return at
}

/**
 * Until when the calls were started that a message says were forgotten, ms since the epoch, by the clock with which it was posted: `at` is
 * ahead of that where the clock was set back since its tab forgot other calls.
 */
export function forgottenBy(at: number, postedAt: number): number {
  return at > postedAt + AHEAD_MS ? postedAt : at
}

/** Notes what another tab has forgotten. */
export function noteForgotten(run: Run, callId: string | undefined, at: number): void {
  const { forgotten } = run
  run.lastForgottenAt = Math.max(at, run.lastForgottenAt)
  forgotten.set(callId, Math.max(at, forgotten.get(callId) ?? 0))
}

/** True if the call was forgotten after it was started. */
export function isForgotten({ forgotten }: Run, callId: string, startedAt: number): boolean {
  return startedAt <= Math.max(forgotten.get(undefined) ?? -1, forgotten.get(callId) ?? -1)
}

/** A time for the start of a call, ms since the epoch: later than all that were forgotten before, also in the same millisecond. */
export function startTime(run: Run): number {
  return Math.max(now(run), run.lastForgottenAt + 1)
}
