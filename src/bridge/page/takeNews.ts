import { shareMembers } from '../wire/decodeCall.js'
import type { CallOnWire, CallRef, Position } from '../wire/messages.js'
import { createEntry, type Entry, isAwaited, isDoubted, isInterrupted } from './entries.js'
import { type EntryBook, lost } from './entryBook.js'
import { type Changes, isOfOther, type Mirror } from './mirror.js'

/** What the backend says of calls, taken into the book of a page. */
export interface NewsTaking {
  take(changes: Changes, epoch: string | undefined): void
  /** `epoch`: the life of the backend that says it. */
  takeCall(callId: string, wire: CallOnWire, epoch: string | undefined): void
  /** Notes that the page forgets this run. News about the run are ignored until the backend has confirmed that. */
  noteDropped(callId: string, startedAt: number): void
  /** Notes the position of the backend's confirmation. Calls that the news still contain there were kept, and are shown again. */
  tellDropped(callIds: readonly string[], told: Position | undefined): void
  /**
   * Leaves the calls of another user that the news have not told of: the backend refuses what they still ask for. A start that was sent
   * before the first news may have been answered for another user than those are of. `isOtherUser`: so are all.
   */
  leaveOthers(isOtherUser?: boolean): void
  clear(): void
}

export interface NewsTakingOptions {
  readonly book: EntryBook
  readonly mirror: Pick<Mirror, 'position' | 'user' | 'wireOf'>
  /** Called with the ids of calls that were forgotten elsewhere. */
  readonly onForgotten: (callIds: ReadonlySet<string>) => void
  /** Called with a call of which there is news, before it is shown. */
  readonly onCall: (entry: Entry) => void
  /** Called with a call of this page whose process is gone, so that its outcome is unknown to another one. */
  readonly onInterrupted: (entry: Entry) => void
  /** Called with a call of this page that was cancelled before there was a task, where there is one after all. */
  readonly onMade: (entry: Entry) => void
}

export function createNewsTaking({
  book,
  mirror,
  onForgotten,
  onCall,
  onInterrupted,
  onMade,
}: NewsTakingOptions): NewsTaking {
  const { entries } = book
  const dropped = new Map<string, { readonly startedAt: number; readonly told?: Position | undefined }>()

  /**
   * ```text
   * known: none ─────────────────────────────▶ a call of another page, or of an earlier visit
   * known: asked for, and not told yet ──────▶ kept: it may be of the run before
   * known: the same run ─────────────────────▶ shown
   * known: the same run, interrupted since ──▶ asked for again, by the page that has made the call; the others wait for that
   * known: has not ended ────────────────────▶ shown: another page has made the call again, or another process, which had its turn
   * known: ended as interrupted ─────────────▶ a page has asked for it again
   * known: cancelled before it had a task ───▶ shown with its task: those that knew of the cancellation are gone
   * known: an earlier run that has ended ────▶ made again by another page
   * ```
   */
  function takeCall(callId: string, wire: CallOnWire, epoch: string | undefined): void {
    if ((dropped.get(callId)?.startedAt ?? Number.NEGATIVE_INFINITY) >= wire.startedAt) return
    dropped.delete(callId)
    const known = entries.get(callId)
    if (known !== undefined && isDoubted(known, wire)) {
      known.unknown ||= 1
      return book.refresh(known)
    }
    const isAsked = known?.start !== undefined && isAwaited(known) && !known.isOver
    const isRunAgain = known?.isOver === true && isInterrupted(known.wire) && !isInterrupted(wire)
    const isSameRun =
      isAsked ||
      (known?.wire !== undefined && (!known.isOver || (wire.startedAt <= known.wire.startedAt && !isRunAgain)))
    // The process of before has told the outcome, which this one has to fetch, or cannot know.
    const isBehind =
      wire.phase === 'ended' || isInterrupted(wire) || (known?.failure === undefined && wire.endedAt === undefined)
    const isMade = known !== undefined && isUnmade(known) && wire['task'] !== undefined && wire['endedAt'] === undefined
    if (isSameRun && known?.isOver && isBehind && !isMade) return
    if (known !== undefined && isSameRun && known.failure === undefined && !isMade) {
      // Answers of another process are copies of what the news have said.
      known.wire = shareMembers(known.wire, wire)
      known.unknown = 0
      if (!isAsked && known.start !== undefined) known.start = { ...known.start, run: wire.startedAt }
      const { told, takenBy } = known.start ?? {}
      const isLost = told !== undefined && takenBy !== undefined && takenBy !== epoch && isInterrupted(wire)
      if (isLost && !known.isOver && known.cancel === undefined) onInterrupted(known)
      onCall(known)
      return book.refresh(known)
    }
    const { name } = wire
    const ref: CallRef = typeof wire['key'] === 'string' ? { name, key: wire['key'] } : { id: callId }
    const args = isRunAgain || (isMade && isSameRun) ? known.args : undefined
    const entry = createEntry({ callId, name, ref, args, wire })
    onCall(entry)
    book.add(entry)
    if (isMade && known.start !== undefined) onMade(known)
  }

  /** True if a call of this page was forgotten. */
  function takeGone({ callId, isForgotten, isMissing }: Changes['gone'][number]): boolean {
    dropped.delete(callId)
    const entry = entries.get(callId)
    if (entry?.wire === undefined) return false
    const isStarting = entry.start !== undefined && entry.start.run === undefined && !entry.isOver
    const isEnded = entry.shown.phase === 'ended'
    if (isStarting) entry.wire = undefined
    else if (isForgotten) book.drop(entry)
    else if (entry.isOver || (isEnded && !entry.isWanted)) book.release(entry)
    // Who has taken it says what becomes of it; the outcome of one that has ended is being asked for.
    else if (!isMissing && !isEnded) book.fail(entry, lost(entry))
    return isForgotten && !isStarting
  }

  function leaveOthers(isOtherUser = false): void {
    const left = [...entries.values()].filter((entry) => isOtherUser || isOfOther(entry.start?.told, mirror))
    for (const entry of left) book.leave(entry)
    if (left.length > 0) onForgotten(new Set(left.map(({ callId }) => callId)))
  }

  /**
   * True where an answer has said how the call is, and the news have not come as far: they take another way, and wait while a tab
   * is frozen.
   */
  function isOld(callId: string): boolean {
    const { told } = entries.get(callId)?.start ?? {}
    return told?.call !== undefined && told.epoch === mirror.position?.epoch && !book.isTold(told)
  }

  /** `isNews`: the process of the news may be another one than that which was asked, and has heard of it by now. */
  function takeKept(isNews = false): void {
    const epoch = mirror.position?.epoch
    for (const [callId, { told }] of dropped) {
      const isElsewhere = told !== undefined && told.epoch !== epoch
      if (!book.isTold(told) && !(isNews && isElsewhere)) continue
      dropped.delete(callId)
      const wire = mirror.wireOf(callId)
      if (wire !== undefined) takeCall(callId, wire, epoch)
    }
  }

  return {
    takeCall,
    noteDropped: (callId, startedAt) => dropped.set(callId, { startedAt }),
    tellDropped: (callIds, told) => {
      for (const callId of callIds) {
        const known = dropped.get(callId)
        if (told === undefined) dropped.delete(callId)
        else if (known !== undefined) dropped.set(callId, { ...known, told })
      }
      takeKept()
    },
    leaveOthers,
    clear: () => dropped.clear(),
    take: ({ isWhole, isOtherUser, calls, gone }, epoch) => {
      const ids = gone.flatMap((each) => (!isOld(each.callId) && takeGone(each) ? [each.callId] : []))
      if (ids.length > 0) onForgotten(new Set(ids))
      leaveOthers(isOtherUser)
      for (const [callId, wire] of calls) if (!isOld(callId)) takeCall(callId, wire, epoch)
      takeKept(true)
      // What was asked for may have been told now.
      for (const entry of [...entries.values()]) {
        const { start, cancel, responses, shown } = entry
        const isFetchedAgain = isWhole && shown.phase === 'ended'
        if (isFetchedAgain || cancel !== undefined || responses.size > 0 || (start !== undefined && isAwaited(entry)))
          book.refresh(entry)
      }
    },
  }
}

/** True of a call that was cancelled before it had a task. */
function isUnmade({ isOver, shown }: Entry): boolean {
  return isOver && shown.phase === 'cancelled' && shown.task === undefined
}
