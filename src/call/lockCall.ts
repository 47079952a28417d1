import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import { onAbort } from './abort.js'
import type { Outcome } from './call.js'
import type { CallTabs } from './callTabs.js'

/** What the tab that was making the call has come to. */
export type CallEnd =
  /** A task: there is one to follow, whether or not this tab can see its record. */
  | { readonly record: ToolCallRecord }
  /** An end, without a task to follow. */
  | { readonly outcome: Outcome; readonly argumentsHash?: string | undefined }

/** Who makes a call that several tabs may want to make: this tab, or the one that has made it. */
export type CallLock = { readonly unlock: () => void } | CallEnd

export interface PendingLock {
  readonly lock: Promise<CallLock>
  /** Takes what the tab that makes the call posts about it. */
  settle(end: CallEnd): void
}

/**
 * Waits until no other tab is making a call. An immediate result exists only in the tab that received it; without
 * shared storage so does the record of a task. Both are therefore posted:
 *
 * ```text
 * tab A  locks ─ tools/call ─ result, task ─ posts ─ unlocks
 * tab B       waits ────────────────────────── receives it, and waits no more
 * ```
 */
export function lockCall(tabs: Pick<CallTabs, 'lock'>, callId: string, signal: AbortSignal): PendingLock {
  const waiting = new AbortController()
  const stopListening = onAbort(signal, () => waiting.abort(signal.reason))
  let settle: PendingLock['settle'] = () => {}
  const elsewhere = new Promise<CallLock>((resolve) => {
    settle = (end) => {
      resolve(end)
      waiting.abort()
    }
  })
  const here = tabs.lock(callId, waiting.signal).then((unlock): CallLock => {
    // Granted in the moment in which the outcome arrived.
    if (waiting.signal.aborted) unlock()
    return { unlock }
  })
  return { lock: Promise.race([elsewhere, here]).finally(stopListening), settle }
}
