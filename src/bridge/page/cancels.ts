import type { Environment } from '../../core/environment/environment.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { type Entry, isAwaited } from './entries.js'
import type { EntryBook } from './entryBook.js'
import type { Mirror } from './mirror.js'
import type { PageCalls } from './pageCalls.js'
import type { Post } from './requests.js'

export interface CancelsOptions {
  readonly environment: Pick<Environment, 'randomId' | 'storage'>
  /** The id of the client: what it keeps is of one backend and scope. */
  readonly clientId: string
  readonly mirror: Pick<Mirror, 'user'>
  readonly post: Post
  readonly refresh: EntryBook['refresh']
  readonly takeAnswer: PageCalls['takeAnswer']
  /** Aborted when the client is closed. */
  readonly closing: AbortSignal
}

/** Cancellations. What the backend has not taken yet is kept in the browser for the next page. */
export interface Cancels {
  /** Asks the backend to cancel a call. */
  cancel(entry: Entry): Promise<void>
  /** Goes on with what an earlier page, or another tab, could not get through. Called with a call of which there is news, before it is shown. */
  resume(entry: Entry): void
  /** Removes what is kept of a call; without its id, of every call. */
  drop(callId?: string): void
  /** Removes what is kept of other users. Called with the first news, and where another user has signed in. */
  sweep(): void
}

/** How many cancellations are kept that no page gets through. */
const MAX_KEPT = 100

/**
 * ```text
 * page  cancel() ─ kept ─ offline ─ ▪ closed
 * next page                             news of the call ─ reads it: cancelling ─ sent, same id ─ answer ─ removed
 * ```
 */
export function createCancels({ environment, mirror, post, closing, ...options }: CancelsOptions): Cancels {
  const item = `taskwire:bridge:${options.clientId}`
  /** The ids of what this page has sent: where the storage does not let go of it, it is not sent again. */
  const sent = new Set<unknown>()

  /** What is kept of the user of this page. A page that may not use its storage loses its cancellations when it is closed. */
  function read(): readonly JsonObject[] {
    try {
      const all: unknown = JSON.parse(environment.storage('local')?.getItem(item) ?? '[]')
      return Array.isArray(all) ? all.filter((kept) => isJsonObject(kept) && kept['user'] === mirror.user) : []
    } catch {
      return []
    }
  }

  function write(kept: readonly object[]): void {
    try {
      const storage = environment.storage('local')
      if (kept.length === 0) storage?.removeItem(item)
      else storage?.setItem(item, JSON.stringify(kept.slice(-MAX_KEPT)))
    } catch {}
  }

  const others = (callId: string) => read().filter((kept) => kept['callId'] !== callId)
  const drop = (callId: string) => write(others(callId))

  function cancel(entry: Entry, id: string = environment.randomId()): Promise<void> {
    if (entry.isOver) return Promise.resolve()
    if (entry.cancel !== undefined) return entry.cancel.sent
    const set = (change: object) => {
      if (entry.cancel === undefined) return
      entry.cancel = { ...entry.cancel, ...change }
      options.refresh(entry)
    }
    async function send(): Promise<void> {
      await entry.started
      if (entry.isOver) return
      sent.add(id)
      const { callId, start, wire } = entry
      const run = start?.run ?? wire?.startedAt
      // Another user may have the same call.
      if (mirror.user !== undefined && run !== undefined)
        write([...others(callId), { callId, id, run, user: mirror.user }])
      try {
        const answer = await post({ type: 'cancel', call: entry.ref }, () => set({ isRetrying: true }), id)
        drop(callId)
        set({ told: answer })
        options.takeAnswer(entry, answer)
      } catch (error) {
        if (!closing.aborted) drop(callId)
        entry.cancel = undefined
        options.refresh(entry)
        throw error
      }
    }
    const done = send()
    entry.cancel = { isRetrying: false, sent: done }
    options.refresh(entry)
    return done
  }

  return {
    cancel: (entry) => cancel(entry),
    resume: (entry) => {
      const { callId, wire } = entry
      // Which run of the call it becomes is not known yet.
      if (wire === undefined || isAwaited(entry) || entry.cancel !== undefined) return
      const { id, run } = read().find((kept) => kept['callId'] === callId) ?? {}
      if (typeof id !== 'string' || sent.has(id)) return
      // One that was made again has a later run.
      const isOfRun = wire.startedAt <= Number(run)
      const isWanted = wire['endedAt'] === undefined && wire['isCancelling'] !== true
      if (isOfRun && isWanted) cancel(entry, id).catch(() => {})
      else drop(callId)
    },
    drop: (callId) => (callId === undefined ? write([]) : drop(callId)),
    sweep: () => write(read()),
  }
}
