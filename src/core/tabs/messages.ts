import { isJsonObject, type JsonObject, toJson } from '../protocol/json.js'
import { VERSION } from '../record/codec.js'
import type { CallRecord, Outcome } from '../record/record.js'
import { readOutcome, readToldRecord, tellCallRecord } from '../record/told.js'

/**
 * What tabs post to each other. Messages carry state, not events: a record says when the task may be polled, what was answered,
 * that a poll is under way and how it ended, in the words of storage.
 *
 * ```text
 * record     sent by  a tab that follows the task: begins to, also by its id, takes the lead, polls (again every 2.5 s), has heard the
 *                     server, its user has responded or cancelled, was asked, is back
 *            receiver merges it into its task. One that waits for the lock of the call follows the task; so does one that does not
 *                     know the call, but for `resume: 'lazy'`. One whose call has another task reads the storage (news.ts)
 *  cancelled sent by  a tab whose user has cancelled the call while it waits for the lock (`cancel` in requests.ts)
 *            receiver does not send the call, or has its task cancelled
 *  + outcome sent by  the tab whose call has ended without a task (settle.ts)
 *            receiver settles the call that waits for its lock
 * ask        sent by  a tab that begins to follow the task, or is back; with a `callId`, one that finds the record `held` by others, or finds
 *                     none and shares no storage
 *            receiver tells what it knows of the task. The tab that leads posts `leader`
 * forgotten  sent by  a tab whose app has forgotten calls; once more where the storage took its time (forget.ts)
 *            receiver drops the calls, and removes what it may have written of them since
 * leader     sent by  the tab that leads: begins to, is shown or hidden, was asked (createTabs.ts)
 *            receiver takes the lead if it can be seen, and that tab cannot
 * ```
 *
 * With the first message of another tab, the one that leads tells all its tasks (`tellPeer` in showing.ts).
 *
 * Tabs of two versions do not hear each other, but wait for the same locks. Each takes a poll of the other for overdue, and steals the lead;
 * the one whose poll that cut off waits twice as long before it does so again (`onLeaderChange` in leading.ts).
 */
export type TabMessage =
  /** What is known of a call. `outcome`: how it ended without ever being a task, which no other tab can find out. */
  | { readonly type: 'record'; readonly record: CallRecord; readonly outcome?: Outcome | undefined }
  /** Asks every tab for the records of a task, or of a call whose record it cannot read. */
  | { readonly type: 'ask'; readonly taskId?: string; readonly callId?: string }
  /**
   * A call was forgotten; without a `callId`, every one was. What was started after `at`, ms since the epoch, was not. `postedAt` is earlier
   * than that where the clock was set back since the tab forgot other calls.
   */
  | { readonly type: 'forgotten'; readonly callId?: string; readonly at: number; readonly postedAt: number }
  /** Posted by the leader: true if its page can be seen. */
  | { readonly type: 'leader'; readonly isVisible: boolean }

/** A message about calls and tasks. */
export type CallMessage = Exclude<TabMessage, { type: 'leader' }>

/** A message as plain data, for `postMessage`. */
export function encodeTabMessage(message: TabMessage): JsonObject {
  if (message.type !== 'record') return { ...message, v: VERSION }
  return { type: 'record', v: VERSION, record: tellCallRecord(message.record, message.outcome) }
}

/** How far ahead of the clock a call may have been started, in ms: the clock may have been set back since. */
const STARTED_AHEAD_MS = 24 * 60 * 60 * 1000

/** The message, or undefined if it is not a message of ours: another version's, or another script's on the same channel. */
export function decodeTabMessage(posted: unknown, now: number): TabMessage | undefined {
  // A script can post what is not JSON: a list with a `constructor` of its own, or one that holds itself.
  const value = toJson(posted)
  if (!isJsonObject(value) || value['v'] !== VERSION) return undefined
  const { type, callId, taskId, at } = value
  switch (type) {
    case 'record': {
      const record = readToldRecord(value['record'], now)
      if (record === undefined || !isJsonObject(value['record'])) return undefined
      const startedAt = Math.min(record.startedAt, now + STARTED_AHEAD_MS)
      return { type, record: { ...record, startedAt }, outcome: readOutcome(value['record']['outcome']) }
    }
    case 'ask':
      if (typeof taskId === 'string') return { type, taskId }
      return typeof callId === 'string' ? { type, callId } : undefined
    case 'leader':
      return { type, isVisible: value['isVisible'] === true }
    case 'forgotten': {
      if (typeof at !== 'number' || !Number.isFinite(at)) return undefined
      const { postedAt = at } = value
      if (typeof postedAt !== 'number') return undefined
      return { type, at, postedAt, ...(typeof callId === 'string' && { callId }) }
    }
    default:
      return undefined
  }
}
