import type { CallToolResult } from '../protocol/callToolResult.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Call } from './call.js'
import type { Leadership } from './callTabs.js'
import type { PendingResponse } from './pendingResponses.js'
import { shownState } from './shownState.js'
import type { ToolCallRequest } from './taskPort.js'
import type { ToolCallState } from './toolCallState.js'
import type { Wakeable } from './wakeQueue.js'

/** One call in this page: what it is, and what this page needs to go on with it. */
export interface CallEntry extends Wakeable {
  call: Call
  /** `call` as the store shows it. */
  shown: ToolCallState
  /** The election of the tab that polls its task. */
  leadership?: Leadership
  readonly outcome: Promise<CallToolResult>
  readonly resolve: (result: CallToolResult) => void
  readonly reject: (error: unknown) => void
  /** How many handles and components wait for the outcome. */
  observers: number
  /** What was recorded of a task that has ended. */
  record?: ToolCallRecord
  /** Set where the call is followed no longer in this page: it was closed, forgotten or started anew. */
  left?: Error
  /** Aborts the `tools/call` and what precedes it; undefined once that is over. */
  start?: AbortController | undefined
  /** True if the `tools/call` may have reached the server. */
  isSent?: boolean
  /** True if it was sent before, in this page or an earlier one, and no response came. */
  isRepeated?: boolean
  /** True for a call that an earlier page has sent and that the server knows by its key: with its arguments it can be made again. */
  isUnanswered?: boolean
  /** Resolves when the last change is written down. */
  written?: Promise<void>
  /** As in `ToolCallRequest`. */
  meta?: ToolCallRequest['meta']
  /** Lets other tabs make the call. */
  unlock?: () => void
  /** Responses to input requests that are being made in this page. */
  pending?: Map<string, PendingResponse>
  /** The `tasks/cancel` under way. */
  cancelling?: Promise<void> | undefined
  /** Aborted when the call is left: what is being sent for it. */
  requests?: Set<AbortController>
}

export function createEntry(call: Call): CallEntry {
  let resolve: CallEntry['resolve'] = () => {}
  let reject: CallEntry['reject'] = () => {}
  const outcome = new Promise<CallToolResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Callers that want the outcome await it; the store has it in any case.
  outcome.catch(() => {})
  return { call, shown: shownState(call), outcome, resolve, reject, observers: 0, wakeAt: 0, place: -1 }
}

/** Ends what is under way for a call that is left. */
export function abandon(entry: CallEntry, reason: Error): void {
  entry.start?.abort(reason)
  for (const controller of entry.requests ?? []) controller.abort(reason)
  for (const { controller } of entry.pending?.values() ?? []) controller.abort()
  entry.reject(reason)
}
