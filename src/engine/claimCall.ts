import type { TaskRecord } from '../storage/taskRecord.js'
import type { CallMessage, CallTabs } from './callTabs.js'

/** How a call came to its end. */
export type CallOutcome = Extract<CallMessage, { type: 'settled' }>['outcome']

/** What the tab that was making the call has come to. */
export type CallEnd =
  /** A task: there is one to follow, whether or not this tab can see the record of it. */
  | { readonly record: TaskRecord }
  /** An end, without a task to follow. */
  | { readonly outcome: CallOutcome }

/** What becomes of a call that several tabs may want to make. */
export type Claim =
  /** This tab makes it; `release` lets the others look at what it has left. */
  | { readonly release: () => void }
  /** Another tab has made it. */
  | CallEnd

export interface CallClaim {
  readonly claim: Promise<Claim>
  /** Takes what the tab that makes the call tells of it. */
  settle(end: CallEnd): void
}

/**
 * Waits until no other tab is making a call. A result that was there at once is nowhere but in the tab
 * that got it, and so is the record of a task where tabs share no storage, so both come by message:
 *
 * ```text
 * tab A  claims ─ tools/call ─ result, task ─ tells ─ lets go
 * tab B       waits ─────────────────────────── hears it, and claims no more
 * ```
 */
export function claimCall(tabs: Pick<CallTabs, 'claim'>, callId: string, signal: AbortSignal): CallClaim {
  const waiting = new AbortController()
  let settle: CallClaim['settle'] = () => {}
  const elsewhere = new Promise<Claim>((resolve) => {
    settle = (end) => {
      resolve(end)
      waiting.abort()
    }
  })
  const here = tabs.claim(callId, AbortSignal.any([signal, waiting.signal])).then((release): Claim => {
    // Granted in the moment in which the outcome arrived.
    if (waiting.signal.aborted) release()
    return { release }
  })
  return { claim: Promise.race([elsewhere, here]), settle }
}
