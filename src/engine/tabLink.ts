import type { Unsubscribe } from '../environment/environment.js'
import type { DetailedTask } from '../protocol/task.js'
import type { ToolCallNetwork } from './toolCallState.js'

/** For how long a tab that says it is polling is believed, before the others take it for frozen. */
export const POLL_ANNOUNCED_MS: number = 5000

/** What one tab tells the others about the polls of a task. Times are ms since the epoch; tabs share one clock. */
export type TaskNews =
  /** A poll went out; until then there is no point in asking, too. */
  | { readonly type: 'polling'; readonly until: number }
  /** A poll was given up before its answer; nothing is known of it. */
  | { readonly type: 'dropped'; readonly nextPollAt: number }
  /** `askedAt`: when the poll was sent. Absent where the server has told by itself. */
  | { readonly type: 'snapshot'; readonly task: DetailedTask; readonly nextPollAt: number; readonly askedAt?: number }
  | {
      readonly type: 'poll-failed'
      readonly error: Error
      readonly failureCount: number
      readonly network: Extract<ToolCallNetwork, 'retrying' | 'paused'>
      /** The part of the wait that the server asked for. */
      readonly notBefore: number
      readonly nextPollAt: number
    }
  /** There is nothing more to be learned of the task. */
  | { readonly type: 'ended'; readonly error: Error }

/** One task as the tabs of a browser follow it together: one polls, all hear of it. */
export interface TabLink {
  /** Whether this tab is the one that polls. */
  isMyTurn(): boolean
  /** Makes it this tab's turn, whoever has it. It is not at once: `onTurnChange` says when. */
  takeTurn(): void
  onTurnChange(listener: () => void): Unsubscribe
  publish(news: TaskNews): void
  /** Hears what other tabs publish. */
  onNews(listener: (news: TaskNews) => void): Unsubscribe
  /** Follows the task no longer. */
  close(): void
}

const nothing = (): void => {}

/** The link of a tab that is alone: always its turn, never any news. */
export const ALONE: TabLink = {
  isMyTurn: () => true,
  takeTurn: nothing,
  onTurnChange: () => nothing,
  publish: nothing,
  onNews: () => nothing,
  close: nothing,
}
