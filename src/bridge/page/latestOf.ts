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
  const { call } = answer
  // That of a response may come from before the news that the question is answered.
  const isOfStart = answer.startedAt !== undefined
  if (call === undefined || (heard !== undefined && isLater(entry, heard, call, isTold, isOfStart)))
    return { wire: heard, epoch }
  const isOfOne = heard?.startedAt === call.startedAt && !('endedAt' in call)
  return { wire: isOfOne ? withPolls(call, heard) : call, epoch: answer.epoch }
}

/** An answer in the place of the news, but for what they say of the polls: they go on to say that. */
function withPolls(call: CallOnWire, { network, failureCount, lastError }: CallOnWire): CallOnWire {
  return { ...call, network, failureCount, lastError }
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
 *
 * process A                    polled ─ news: a question
 * process B  start ─ task ─ answer ························· comes: no question yet
 * ```
 */
function isLater({ isOver }: Entry, heard: CallOnWire, call: CallOnWire, isTold: boolean, isOfStart: boolean): boolean {
  if (isInterrupted(call) && !isInterrupted(heard) && heard.startedAt >= call.startedAt) return true
  if (heard.startedAt !== call.startedAt) return false
  // A call that was interrupted is no end while this page asks for it again.
  const isEnd = heard['endedAt'] !== undefined && (isOver || !isInterrupted(heard))
  const sinceMs = changedAt(heard) - changedAt(call)
  const isAsked = isOfStart && sinceMs === 0 && asked(heard) > asked(call)
  return isTold || (isEnd && !('endedAt' in call)) || sinceMs > 0 || isAsked
}

/** How much the task asks. */
function asked({ inputRequests }: CallOnWire): number {
  return Object.keys(Object(inputRequests)).length
}

/** When the server has last changed the task, in ms since the epoch; 0 before there is one. */
function changedAt({ task }: CallOnWire): number {
  return Date.parse(String(Object(task).lastUpdatedAt)) || 0
}
