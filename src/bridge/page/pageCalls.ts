import { asError } from '../../core/protocol/asError.js'
import type { ToolCallRequest } from '../../core/protocol/taskPort.js'
import type { RecordOwner } from '../../core/record/record.js'
import type { StartOptions } from '../../core/run/begin.js'
import type { Answer, CallOnWire } from '../wire/messages.js'
import { type Entry, isDoubted, isInterrupted, isLost } from './entries.js'
import { createEntryBook, type EntryBook, type EntryBookOptions } from './entryBook.js'
import type { Changes } from './mirror.js'
import type { Post } from './requests.js'
import { askAgain, giveUp, type Started, type StartingOptions, startCall } from './startCalls.js'
import { createNewsTaking } from './takeNews.js'

export interface PageCallsOptions extends Omit<EntryBookOptions, 'onEnded'> {
  readonly owner: RecordOwner
  readonly post: Post
  readonly onForgotten: (isForgotten: (callId?: string) => boolean) => void
}

/** The calls of a page: what the backend says of them, and what this page has asked for. */
export interface PageCalls extends Pick<EntryBook, 'entries' | 'refresh' | 'refreshAll'> {
  start(request: ToolCallRequest, options: StartOptions): Started
  take(changes: Changes): void
  /** Takes what an answer says of a call, where the news come from another process of the backend. */
  takeAnswer(entry: Entry, answer: Answer): void
  /** Fetches the outcome of a call that ended in an earlier life of the backend. */
  fetchOutcome(entry: Entry): void
  forget(callId?: string): Promise<void>
  close(reason: Error): void
}

/** When a call is asked for that the news do not know, and how often after that, in ms. Mostly the news come first. */
const FIRST_ASK_MS = 1000
const NEXT_ASK_MS = 2000

export function createPageCalls(options: PageCallsOptions): PageCalls {
  const { environment, mirror, owner, store, post, onForgotten } = options
  const book = createEntryBook({ ...options, onEnded: fetchOutcome })
  const { entries } = book
  const news = createNewsTaking({
    book,
    mirror,
    onForgotten: (ids) => onForgotten((callId) => callId !== undefined && ids.has(callId)),
    onInterrupted: (entry) => askAgain(entry, starting),
  })
  let forgotten: Promise<unknown> = Promise.resolve()
  const starting: StartingOptions = {
    ...{ environment, owner, book, mirror, news, post },
    onAnswer: takeAnswer,
    forgotten: () => forgotten,
  }

  let timer: unknown

  function fetchOutcome(entry: Entry): void {
    if (entry.shown.phase !== 'ended') return
    entry.isWanted = true
    ask(entry)
  }

  /** Asks what has become of a call. Any process of the backend can read that. */
  function ask(entry: Entry): void {
    if (entry.isFetching) return
    entry.isFetching = true
    const { position } = mirror
    post({ type: 'resume', call: entry.ref })
      .then((answer) => {
        // A start that is still under way may be sent to a process that knows more.
        if (entry.start?.told !== undefined) entry.start = { ...entry.start, told: answer }
        takeAnswer(entry, answer)
        return answer.call ?? mirror.wireOf(entry.callId)
      })
      .then(
        (found) => {
          if (found !== undefined && isDoubted(entry, found)) {
            entry.unknown += 1
            news.takeCall(entry.callId, found, mirror.position?.epoch)
          } else if (entry.unknown > 0) {
            entry.unknown = 0
            book.refresh(entry)
          }
        },
        (thrown: unknown) => {
          entry.unknown += 1
          // The process that has taken the call may be another one than the one that was asked.
          if (isLost(entry) || !book.isElsewhere(entry)) giveUp(entry, asError(thrown), starting)
          else book.refresh(entry)
        },
      )
      .finally(() => {
        entry.isFetching = false
        // The backend was started again meanwhile, and the process that was asked may be gone.
        if (mirror.position?.epoch !== position?.epoch) fetchOutcome(entry)
      })
  }

  function takeAnswer(entry: Entry, answer: Answer): void {
    const { call } = answer
    if (call !== undefined && entries.get(entry.callId) === entry) {
      if (entry.start !== undefined) entry.start = { ...entry.start, run: call.startedAt }
      const heard = mirror.wireOf(entry.callId)
      if (heard !== undefined && isLater(entry, heard, answer, book.isTold(answer)))
        news.takeCall(entry.callId, heard, mirror.position?.epoch)
      else news.takeCall(entry.callId, call, answer.epoch)
    }
    book.refresh(entry)
    watch(FIRST_ASK_MS)
  }

  /** Asks for the calls that other processes have, until the news know them. */
  function watch(delayMs: number): void {
    if (timer !== undefined || ![...entries.values()].some(book.isElsewhere)) return
    timer = environment.setTimeout(() => {
      timer = undefined
      for (const entry of [...entries.values()]) if (book.isElsewhere(entry)) ask(entry)
      watch(NEXT_ASK_MS)
    }, delayMs)
  }

  return {
    ...book,
    start: (request, how) => startCall(request, how, starting),
    take: (changes) => {
      news.take(changes, mirror.position?.epoch)
      watch(FIRST_ASK_MS)
    },
    takeAnswer,
    fetchOutcome,
    forget: async (callId) => {
      const found = [...entries.values()].filter((entry) => callId === undefined || entry.callId === callId)
      for (const entry of found) {
        const run = entry.wire?.startedAt ?? entry.start?.run
        if (run !== undefined) news.noteDropped(entry.callId, run)
        book.drop(entry)
      }
      onForgotten((id) => (callId === undefined || id === callId) && (!id || store.getCall(id) === undefined))
      if (callId !== undefined && found.length === 0) return
      const call = callId === undefined ? undefined : found[0]?.ref
      const asked = Promise.all([forgotten, ...found.map(({ started }) => started)]).then(() =>
        post({ type: 'forget', ...(call && { call }) }),
      )
      const ids = found.map((entry) => entry.callId)
      // Where the backend refuses, the news are right as they are.
      forgotten = asked.then(
        (answer) => news.tellDropped(ids, answer),
        () => news.tellDropped(ids, mirror.position),
      )
      await asked
    },
    close: (reason) => {
      environment.clearTimeout(timer)
      news.clear()
      book.clear(reason)
    },
  }
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
function isLater({ isOver }: Entry, heard: CallOnWire, { call }: Answer, isTold: boolean): boolean {
  if (call === undefined) return false
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
