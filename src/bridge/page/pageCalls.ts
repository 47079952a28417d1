import type { ToolCallRequest } from '../../core/protocol/taskPort.js'
import type { RecordOwner } from '../../core/record/record.js'
import type { StartOptions } from '../../core/run/startOrResume.js'
import { type Asking, createAsking } from './asking.js'
import { type Cancels, type CancelsOptions, createCancels } from './cancels.js'
import { runOf } from './entries.js'
import { createEntryBook, type EntryBook, type EntryBookOptions } from './entryBook.js'
import type { Changes } from './mirror.js'
import type { Post } from './requests.js'
import { askAgain, giveUp, type Started, type StartingOptions, startCall } from './startCalls.js'
import { createNewsTaking } from './takeNews.js'

export interface PageCallsOptions
  extends Omit<EntryBookOptions, 'onEnded'>,
    Pick<CancelsOptions, 'clientId' | 'closing' | 'onRefused'> {
  readonly owner: RecordOwner
  readonly post: Post
  readonly onForgotten: (isForgotten: (callId?: string) => boolean) => void
}

/** The calls of a page: what the backend says of them, and what this page has asked for. */
export interface PageCalls
  extends Pick<EntryBook, 'entries' | 'isCurrent' | 'refresh' | 'refreshAll'>,
    Pick<Asking, 'takeAnswer' | 'fetchOutcome'>,
    Pick<Cancels, 'cancel'> {
  start(request: ToolCallRequest, options: StartOptions): Started
  take(changes: Changes): void
  forget(callId?: string): Promise<void>
  /** Removes what is kept for the next page. */
  dropKept(): void
  close(reason: Error): void
}

export function createPageCalls(options: PageCallsOptions): PageCalls {
  const { environment, mirror, owner, store, post, onForgotten } = options
  const book = createEntryBook({ ...options, onEnded: (entry) => asking.fetchOutcome(entry) })
  const { entries } = book
  const news = createNewsTaking({
    book,
    mirror,
    onForgotten: (ids) => {
      for (const callId of ids) cancels.drop(callId)
      onForgotten((callId) => callId !== undefined && ids.has(callId))
    },
    onCall: (entry) => cancels.resume(entry),
    onInterrupted: (entry) => {
      askAgain(entry, starting)
      // With its task it can be cancelled, which the process that has taken the cancellation can do no longer.
      if (entry.isCancelled) void cancels.cancel(entry).catch(() => {})
    },
    onMade: (entry) => {
      // Only what this very start has made: another page may have made a call of the key since.
      const request = { id: environment.randomId(), at: 0 }
      cancels.cancelStart(entry, mirror.user, request).catch(() => {})
    },
  })
  /** The latest request of each call to forget it, until it is answered; those of all calls under undefined. */
  const forgetting = new Map<string | undefined, Promise<unknown>>()
  const starting: StartingOptions = {
    ...{ environment, owner, book, mirror, news, post },
    onAnswer: (entry, answer) => asking.takeAnswer(entry, answer),
    forgotten: (callId) => Promise.all([forgetting.get(undefined), forgetting.get(callId)]),
    cancels: () => cancels,
  }
  const asking = createAsking({
    ...{ environment, book, mirror, news, post },
    onUnknown: (entry, error) => giveUp(entry, error, starting),
  })
  const cancels = createCancels({ ...options, refresh: book.refresh, takeAnswer: asking.takeAnswer })
  let user: string | undefined

  return {
    ...book,
    start: (request, how) => startCall(request, how, starting),
    take: (changes) => {
      news.take(changes, mirror.position?.epoch)
      if (user !== mirror.user) cancels.sweep()
      user = mirror.user
      asking.watch(changes.isWhole)
    },
    takeAnswer: asking.takeAnswer,
    fetchOutcome: asking.fetchOutcome,
    cancel: async (entry) => {
      if (book.isCurrent(entry)) await cancels.cancel(entry)
    },
    dropKept: () => cancels.drop(),
    forget: async (callId) => {
      // Another one may sign in before it is sent.
      const { user } = mirror
      cancels.drop(callId)
      const found = [...entries.values()].filter((entry) => callId === undefined || entry.callId === callId)
      for (const entry of found) {
        const run = entry.wire?.startedAt ?? entry.start?.run
        if (run !== undefined) news.noteDropped(entry.callId, run)
        book.drop(entry)
      }
      onForgotten((id) => (callId === undefined || id === callId) && (!id || store.getCall(id) === undefined))
      if (callId !== undefined && found.length === 0) return
      const call = callId === undefined ? undefined : found[0]?.ref
      const before = callId === undefined ? [...forgetting.values()] : [starting.forgotten(callId)]
      const asked = Promise.all([...before, ...found.map(({ started }) => started)]).then(() => {
        if (call !== undefined) return post({ type: 'forget', call, run: found[0] && runOf(found[0]) }, { user })
        const askedAt = environment.now()
        return post((now) => ({ type: 'forget', ageMs: Math.max(0, now - askedAt) }), { user })
      })
      const ids = found.map((entry) => entry.callId)
      // Where the backend refuses, the news are right as they are.
      const told = asked.then(
        (answer) => news.tellDropped(ids, answer),
        () => news.tellDropped(ids, mirror.position),
      )
      forgetting.set(callId, told)
      void told.then(() => forgetting.get(callId) === told && forgetting.delete(callId))
      await asked
    },
    close: (reason) => {
      asking.close()
      news.clear()
      book.clear(reason)
    },
  }
}
