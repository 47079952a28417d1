import type { Answer, CallOnWire } from '../wire/messages.js'
import { type Entry, isInterrupted } from './entries.js'
import type { Mirror } from './mirror.js'

/**
 * What the backend has said last of a call, in an answer or in the news, and in which life. An answer without the call comes from the
 * process whose news the page read when it asked: the news may be of another one by now.
 */
export function latestOf(
  entry: Entry,
  answer: Answer,
  mirror: Pick<Mirror, 'position' | 'wireOf'>,
  isTold: boolean,
): { readonly wire: CallOnWire | undefined; readonly epoch: string | undefined } {
  const heard = mirror.wireOf(entry.callId)
  const epoch = mirror.position?.epoch
  // The news that say it are on their way.
  if (answer.call === undefined && answer.epoch === epoch && !isTold) return { wire: undefined, epoch }
  const isOfNews = answer.call === undefined || (heard !== undefined && isLater(entry, heard, answer.call, isTold))
  return isOfNews ? { wire: heard, epoch } : { wire: answer.call, epoch: answer.epoch }
}

/**
 * An answer may have taken so long that the news of the same run are later.
 *
 * ```text
 * process A  start ─ task: working ─ answer ············ killed                ······· comes: working
 * process B                                               news: input_required
 *
 * process B  asked about it ─ interrupted ───────────────────────── comes: interrupted
 * process C                        start ─ same key ─ news: calling
 * ```
 */
function isLater({ isOver }: Entry, heard: CallOnWire, call: CallOnWire, isTold: boolean): boolean {
  if (isInterrupted(call) && !isInterrupted(heard) && heard.startedAt >= call.startedAt) return true
  if (heard.startedAt !== call.startedAt) return false
  // A call that was interrupted is no end while this page asks for it again.
  const isEnd = heard['endedAt'] !== undefined && (isOver || !isInterrupted(heard))
  return (isEnd && call['endedAt'] === undefined) || changedAt(heard) > changedAt(call) || isTold
}

/** When the server has last changed the task, in ms since the epoch; 0 before there is one. */
function changedAt({ task }: CallOnWire): number {
  return Date.parse(String(Object(task).lastUpdatedAt)) || 0
}
