import type { Unsubscribe } from '../environment/environment.js'
import type { ToolCallRecord } from '../storage/toolCallRecord.js'
import type { Outcome } from './call.js'
import type { TaskMessage } from './taskMessage.js'

/** What happened to a call in one tab, before or without a task. */
export type CallMessage =
  /** Asks the tabs that follow its task for the record, which only they have: they post that it was `created`. */
  | { readonly type: 'wanted' }
  /** It has become a task. */
  | { readonly type: 'created'; readonly record: ToolCallRecord }
  /** It ended without ever being a task: its outcome is nowhere but in the tab that made it. */
  | { readonly type: 'settled'; readonly outcome: Outcome; readonly argumentsHash?: string | undefined }

/** Which of several tabs polls. */
export interface Leadership {
  isLeader(): boolean
  /** True if leadership was stolen from a tab that may still be polling. */
  wasStolen(): boolean
  /** Joins the election. Returns a function that leaves it. */
  join(): Unsubscribe
  /** Steals leadership from the tab that has it. */
  steal(): void
  onChange(listener: () => void): Unsubscribe
}

/** What calls need of the other tabs of this browser. */
export interface CallTabs {
  /** True if there are no other tabs to talk to. */
  readonly isAlone: boolean
  /** True if there is another tab that may follow the same tasks. */
  hasPeers(): boolean
  /** Waits until no other tab is making this call. Resolves to a function that unlocks it. Rejects with the signal's reason. */
  lock(callId: string, signal: AbortSignal): Promise<Unsubscribe>
  /** Runs `work` while no other tab runs work of that name. Rejects with the signal's reason while it waits. */
  exclusively(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void>
  /** True if this tab polls every task, also one that no tab follows yet. */
  isLeader(): boolean
  /** The election that decides which tab polls the task. */
  leadershipOf(taskId: string): Leadership
  postCall(callId: string, message: CallMessage): void
  postTask(taskId: string, message: TaskMessage): void
  /** Asks the other tabs what they know of a task, and tells them when it may be polled next, where only this tab knows. */
  postSyncRequest(taskId: string, nextPollAt?: number): void
}

const nothing = (): void => {}

const SOLE_LEADER: Leadership = {
  isLeader: () => true,
  wasStolen: () => false,
  join: () => nothing,
  steal: nothing,
  onChange: () => nothing,
}

/** The tabs of a page that is alone. */
export const NOOP_CALL_TABS: CallTabs = {
  isAlone: true,
  hasPeers: () => false,
  lock: () => Promise.resolve(nothing),
  exclusively: (_name, _signal, work) => work(),
  isLeader: () => true,
  leadershipOf: () => SOLE_LEADER,
  postCall: nothing,
  postTask: nothing,
  postSyncRequest: nothing,
}
