import type { InputResponse } from '../protocol/inputRequest.js'
import type { CallEntry } from './callEntry.js'

/** A response of this page that the server has not taken yet. */
export interface PendingResponse {
  /** Aborted when the server withdraws the input request. */
  readonly controller: AbortController
  /** Gives the response to an input request that belongs to no task. */
  readonly resolve?: (response: InputResponse) => void
  /** The response that `respond()` is sending, and what it returned. */
  sent?: { readonly response: InputResponse; readonly outcome: Promise<void> }
}

/** The response that is being made to an input request, or is from now on. */
export function pendingOf(entry: CallEntry, inputKey: string): PendingResponse {
  const known = entry.pending?.get(inputKey)
  if (known !== undefined) return known
  const pending = { controller: new AbortController() }
  entry.pending ??= new Map()
  entry.pending.set(inputKey, pending)
  return pending
}

/** What the server withdraws, or another tab has answered, is no longer sent from here. */
export function dropWithdrawn(entry: CallEntry): void {
  if (entry.pending === undefined) return
  const inputs = 'inputs' in entry.call ? entry.call.inputs : undefined
  for (const [key, { controller, resolve }] of entry.pending) {
    if (resolve !== undefined || inputs?.has(key)) continue
    entry.pending.delete(key)
    controller.abort()
  }
}
