import type { TaskClientStore } from '../../core/client/createStore.js'
import type { Environment } from '../../core/environment/environment.js'
import { TaskExpiredError } from '../../core/protocol/errors.js'
import { isSettled, type SettledToolCall } from '../../core/record/toolCallState.js'
import { abortError } from '../../core/time/abort.js'
import type { Position } from '../wire/messages.js'
import { type Entry, isAwaited, isInterrupted, isOwn, showEntry } from './entries.js'
import type { Mirror } from './mirror.js'

export interface EntryBookOptions {
  readonly environment: Environment
  readonly mirror: Mirror
  readonly store: TaskClientStore
  /** What keeps the news from coming; undefined where they come. */
  readonly network: () => 'retrying' | 'offline' | undefined
  readonly onSettled: (call: SettledToolCall) => void
  /** Called with a call that somebody waits for, and whose outcome the backend has to fetch. */
  readonly onEnded: (entry: Entry) => void
}

/** The calls of a page, each in its newest run, and what the store shows of them. */
export interface EntryBook {
  readonly entries: ReadonlyMap<string, Entry>
  /** False if another run of the call has taken its place, or the call has left the book. */
  isCurrent(entry: Entry): boolean
  /** Puts a run in the place of the one before. */
  add(entry: Entry): Entry
  /** The same, without a run: the call was forgotten. */
  drop(entry: Entry): void
  /** Takes a call of the user of before out of the store. What the backend answers to its start still ends it. */
  leave(entry: Entry): void
  /** Takes it out of the store, where nothing listens to it: the backend keeps it no longer. */
  release(entry: Entry): void
  /** Ends a call without the backend. */
  fail(entry: Entry, error: Error): void
  /** True if the news have come to where an answer was given, and are of the same process. */
  isTold(told: Position | undefined): boolean
  /** True if the news do not know the call, or this run of it: another process of the backend has taken it. */
  isElsewhere(entry: Entry): boolean
  /** Shows it as it is now. */
  refresh(entry: Entry): void
  refreshAll(): void
  clear(reason: Error): void
}

export function createEntryBook({ environment, mirror, store, network, ...options }: EntryBookOptions): EntryBook {
  const entries = new Map<string, Entry>()

  const isCurrent = (entry: Entry) => entries.get(entry.callId) === entry

  function isTold(told: Position | undefined): boolean {
    const { position } = mirror
    return told !== undefined && position?.epoch === told.epoch && position.seq >= told.seq
  }

  /** The same where the process of the news was not asked: the answer of the other one has said what came of it. */
  function isOver(told: Position | undefined): boolean {
    return isTold(told) || (told !== undefined && told.epoch !== mirror.position?.epoch)
  }

  /** Takes away what was asked for and told since. */
  function dropTold(entry: Entry): void {
    if (isOver(entry.cancel?.told)) entry.cancel = undefined
    for (const [key, { told }] of entry.responses) if (isOver(told)) entry.responses.delete(key)
    const { start, wire, failure } = entry
    if (failure !== undefined || start === undefined || !isAwaited(entry) || !isTold(start.told)) return
    // A backend that finds the record of the call shows when that was made, which may be earlier than it has answered.
    if (wire !== undefined) entry.start = { ...start, run: wire.startedAt }
    else setFailure(entry, lost(entry))
  }

  function setFailure(entry: Entry, error: Error): void {
    entry.failure = { error, endedAt: environment.now() }
  }

  function refresh(entry: Entry): void {
    dropTold(entry)
    const isInBook = isCurrent(entry)
    const next = showEntry(entry, network())
    if (next !== entry.shown) {
      entry.shown = next
      if (isInBook) store.setCall(next)
    }
    if (entry.isOver) return
    if (!isSettled(next)) {
      if (next.phase !== 'ended') entry.hasRun ||= !isAwaited(entry)
      else if (entry.hasRun || entry.isWanted || entry.start !== undefined) options.onEnded(entry)
      return
    }
    entry.isOver = true
    if (next.phase === 'completed') entry.resolve(next.result)
    else entry.reject(next.error)
    if (isInBook && (entry.hasRun || entry.failure !== undefined || isOwn(entry.start))) options.onSettled(next)
  }

  function remove(entry: Entry): void {
    entries.delete(entry.callId)
    store.removeCall(entry.callId)
  }

  return {
    entries,
    isCurrent,
    add(entry) {
      entries.get(entry.callId)?.reject(abortError('The call was started again.'))
      entries.set(entry.callId, entry)
      store.setCall(entry.shown)
      refresh(entry)
      return entry
    },
    drop(entry) {
      remove(entry)
      entry.isForgotten = true
      entry.reject(abortError('The call was forgotten.'))
    },
    leave(entry) {
      remove(entry)
      void entry.started.then(() => entry.reject(abortError('The call was forgotten.')))
    },
    release(entry) {
      if (!store.isObserved(entry.callId)) remove(entry)
    },
    fail(entry, error) {
      setFailure(entry, error)
      refresh(entry)
    },
    isTold,
    isElsewhere(entry) {
      const { position } = mirror
      const { isOver, callId, start, wire } = entry
      if (isOver || position === undefined) return false
      if (isAwaited(entry)) return start?.told !== undefined && start.told.epoch !== position.epoch
      const heard = mirror.wireOf(callId)
      return heard === undefined || isInterrupted(heard) || (wire !== undefined && heard.startedAt < wire.startedAt)
    },
    refresh,
    refreshAll() {
      for (const entry of entries.values()) if (!entry.isOver) refresh(entry)
    },
    clear(reason) {
      for (const entry of [...entries.values()]) {
        remove(entry)
        entry.reject(reason)
      }
    },
  }
}

/** Why a call ends that the backend does not show, although it has begun there. */
export function lost({ callId }: Pick<Entry, 'callId'>): Error {
  const message = 'The backend of this app no longer knows this call. Start it again.'
  return new TaskExpiredError('unknown-task', { callId, message })
}
