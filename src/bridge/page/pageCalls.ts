import { asError } from '../../core/protocol/asError.js'
import type { ToolCallRequest } from '../../core/protocol/taskPort.js'
import type { RecordOwner } from '../../core/record/record.js'
import type { StartOptions } from '../../core/run/begin.js'
import type { Entry } from './entries.js'
import { createEntryBook, type EntryBook, type EntryBookOptions } from './entryBook.js'
import type { Changes } from './mirror.js'
import type { Post } from './requests.js'
import { type Started, startCall } from './startCalls.js'
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
  /** Fetches the outcome of a call that ended in an earlier life of the backend. */
  fetchOutcome(entry: Entry): void
  forget(callId?: string): Promise<void>
  close(reason: Error): void
}

export function createPageCalls(options: PageCallsOptions): PageCalls {
  const { environment, mirror, owner, store, post, onForgotten } = options
  const book = createEntryBook({ ...options, onEnded: fetchOutcome })
  const { entries } = book
  const news = createNewsTaking(book, (ids) => onForgotten((callId) => callId !== undefined && ids.has(callId)))
  let forgotten: Promise<unknown> = Promise.resolve()

  function fetchOutcome(entry: Entry): void {
    if (entry.isFetching || entry.shown.phase !== 'ended') return
    entry.isFetching = true
    entry.isWanted = true
    const { position } = mirror
    post({ type: 'resume', call: entry.ref })
      .catch((thrown: unknown) => book.fail(entry, asError(thrown)))
      .finally(() => {
        entry.isFetching = false
        // The backend was started again meanwhile, and the process that was asked may be gone.
        if (mirror.position?.epoch !== position?.epoch) fetchOutcome(entry)
      })
  }

  return {
    ...book,
    start: (request, how) =>
      startCall(request, how, { environment, owner, book, news, post, forgotten: () => forgotten }),
    take: news.take,
    fetchOutcome,
    forget: async (callId) => {
      const found = [...entries.values()].filter((entry) => callId === undefined || entry.callId === callId)
      for (const entry of found) {
        const run = entry.wire?.startedAt ?? entry.start?.run
        if (run !== undefined) news.noteDropped(entry.callId, run)
        book.drop(entry)
      }
      onForgotten((id) => (callId === undefined || id === callId) && (!id || store.getCall(id) === undefined))
      const [first] = found
      if (callId !== undefined && first === undefined) return
      const call = callId === undefined ? undefined : first?.ref
      const asked = Promise.all([forgotten, ...found.map(({ started }) => started)]).then(() =>
        post({ type: 'forget', ...(call && { call }) }),
      )
      forgotten = asked.catch(() => {})
      await asked
    },
    close: book.clear,
  }
}
