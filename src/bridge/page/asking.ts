import type { Environment } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import { ConnectionFailedError } from '../../core/protocol/errors.js'
import type { Answer } from '../wire/messages.js'
import { type Entry, isDoubted, isLost } from './entries.js'
import type { EntryBook } from './entryBook.js'
import { latestOf } from './latestOf.js'
import type { Mirror } from './mirror.js'
import type { Post } from './requests.js'
import type { NewsTaking } from './takeNews.js'

export interface AskingOptions {
  readonly environment: Environment
  readonly book: EntryBook
  readonly mirror: Pick<Mirror, 'position' | 'wireOf'>
  readonly news: Pick<NewsTaking, 'leaveOthers' | 'takeCall'>
  readonly post: Post
  /** Called with a call that the processes of the backend do not know. */
  readonly onUnknown: (entry: Entry, error: Error) => void
}

/** Asks the backend for what the news do not say. */
export interface Asking {
  /** Takes what an answer says of a call, where the news come from another process of the backend. */
  takeAnswer(entry: Entry, answer: Answer): void
  /** Fetches the outcome of a call that ended in an earlier life of the backend. */
  fetchOutcome(entry: Entry): void
  /**
   * Asks for the calls and the outcomes that other processes have, until the news know them. `isAnew`: the page has come back to its backend, which
   * may let it ask again.
   */
  watch(isAnew: boolean): void
  close(): void
}

/** How long a page waits for news of a call before it asks for the call, and between later requests, in ms. Usually the news come first. */
const FIRST_ASK_MS = 1000
const NEXT_ASK_MS = 2000

/** How long a page waits before it asks again after the backend has refused it, as it does while another user is signed in, in ms. */
const REFUSED_ASK_MS = 30_000

export function createAsking({ environment, book, mirror, news, post, onUnknown }: AskingOptions): Asking {
  const { entries } = book
  let timer: unknown
  /** True if the backend has refused the last request for a call without looking for it. */
  let isRefused = false

  function fetchOutcome(entry: Entry): void {
    if (entry.shown.phase !== 'ended') return
    entry.isWanted = true
    ask(entry)
    watch()
  }

  /** Asks what has become of a call. Any process of the backend can read that. */
  function ask(entry: Entry): void {
    if (entry.isFetching) return
    entry.isFetching = true
    const { position } = mirror
    post({ type: 'resume', call: entry.ref })
      .then((answer) => {
        isRefused = false
        // A start that is still under way may be sent to a process that knows more.
        if (entry.start?.told !== undefined) entry.start = { ...entry.start, told: answer }
        takeAnswer(entry, answer)
        return answer.call ?? mirror.wireOf(entry.callId)
      })
      .then(
        (found) => {
          // The call may belong to the user who was signed in before.
          if (!book.isCurrent(entry)) return
          if (found !== undefined && isDoubted(entry, found)) {
            entry.unknown += 1
            news.takeCall(entry.callId, found, mirror.position?.epoch)
          } else if (entry.unknown > 0) {
            entry.unknown = 0
            book.refresh(entry)
          }
        },
        (thrown: unknown) => {
          const isEnded = entry.shown.phase === 'ended'
          // The news know it by now, or it is being asked for once more.
          if (!isEnded && !book.isElsewhere(entry)) return
          isRefused = thrown instanceof ConnectionFailedError
          if (isRefused) return
          entry.unknown += 1
          // The process that has taken the call may be another one than the one that was asked.
          if (isEnded || isLost(entry)) onUnknown(entry, asError(thrown))
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
    const { callId, start } = entry
    news.leaveOthers()
    if (book.isCurrent(entry)) {
      if (answer.call !== undefined && start?.told !== undefined) entry.start = { ...start, run: answer.call.startedAt }
      const { wire, epoch } = latestOf(entry, answer, mirror, book.isTold(answer))
      if (wire !== undefined) news.takeCall(callId, wire, epoch)
    }
    book.refresh(entry)
    watch()
  }

  /**
   * True where the news do not say what becomes of the call. Of one that has ended, they may say no more than that, while the process
   * that was asked takes it for running, or fetches its outcome.
   */
  function isMissing(entry: Entry): boolean {
    return book.isElsewhere(entry) || (entry.isWanted && entry.shown.phase === 'ended')
  }

  function watch(delayMs: number = FIRST_ASK_MS): void {
    if (timer !== undefined || ![...entries.values()].some(isMissing)) return
    timer = environment.setTimeout(() => {
      timer = undefined
      for (const entry of [...entries.values()]) if (isMissing(entry)) ask(entry)
      watch(isRefused ? REFUSED_ASK_MS : NEXT_ASK_MS)
    }, delayMs)
  }

  function close(): void {
    environment.clearTimeout(timer)
    timer = undefined
  }

  return {
    takeAnswer,
    fetchOutcome,
    watch: (isAnew) => {
      if (isRefused && isAnew) {
        isRefused = false
        close()
      }
      watch()
    },
    close,
  }
}
