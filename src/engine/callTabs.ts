import type { CallToolResult } from '../protocol/callToolResult.js'
import type { TaskRecord } from '../storage/taskRecord.js'
import { ALONE, type TabLink } from './tabLink.js'

/** What happened to a call in one tab, for the runs of the same call in the others. */
export type CallMessage =
  /** It has become a task. */
  | { readonly type: 'created'; readonly record: TaskRecord }
  /** It ended without ever being a task: its outcome is nowhere but here. */
  | { readonly type: 'settled'; readonly outcome: { readonly result: CallToolResult } | { readonly error: Error } }
  /** What was done to its task: this one, for the call may have been made anew since. */
  | { readonly type: 'cancelling'; readonly taskId: string; readonly isCancelling: boolean }
  | { readonly type: 'answered'; readonly taskId: string; readonly inputKey: string }

/** What a run needs of the other tabs of its browser. */
export interface CallTabs {
  /** Waits until no other tab is making this call. Returns the way back. Rejects with the signal's reason. */
  claim(callId: string, signal: AbortSignal): Promise<() => void>
  /** Runs `work` while no other tab runs work of that name. Rejects with the signal's reason while it waits. */
  exclusively(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void>
  /**
   * The task of a call, as the tabs follow it together. `isNew`: no other tab can know of it yet. `nextPollAt`: when it
   * may be polled, as far as this call knows, ms since the epoch.
   */
  link(taskId: string, isNew: boolean, nextPollAt: number): TabLink
  tell(callId: string, message: CallMessage): void
}

/** The tabs of a page that is alone. */
export const NO_TABS: CallTabs = {
  claim: () => Promise.resolve(() => {}),
  exclusively: (_name, _signal, work) => work(),
  link: () => ALONE,
  tell: () => {},
}
