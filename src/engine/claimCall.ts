import type { CallMessage, CallTabs } from './callTabs.js'

/** How a call came to its end. */
export type CallOutcome = Extract<CallMessage, { type: 'settled' }>['outcome']

/** What becomes of a call that several tabs may want to make. */
export type Claim =
  /** This tab makes it; `release` lets the others look at what it has left. */
  | { readonly release: () => void }
  /** The tab that was making it has come to an end, without a task to follow. */
  | { readonly outcome: CallOutcome }

export interface CallClaim {
  readonly claim: Promise<Claim>
  /** Takes the outcome of the tab that makes the call. */
  settle(outcome: CallOutcome): void
}

/**
 * Waits until no other tab is making a call. A result that was there at once is nowhere but in the tab
 * that got it, so it comes by message:
 *
 * ```text
 * tab A  claims ─ tools/call ─ result ─ tells ─ lets go
 * tab B       waits ───────────────────── hears it, and claims no more
 * ```
 */
export function claimCall(tabs: Pick<CallTabs, 'claim'>, callId: string, signal: AbortSignal): CallClaim {
  const waiting = new AbortController()
  let settle: CallClaim['settle'] = () => {}
  const elsewhere = new Promise<Claim>((resolve) => {
    settle = (outcome) => {
      resolve({ outcome })
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
