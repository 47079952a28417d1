import { isJsonObject } from '../../core/protocol/json.js'

/**
 * What was cancelled at a process that does not know it: a start, by the id of its request, or a run. `until`: when that was started, in ms since
 * the epoch.
 */
export type CancelledTarget = { readonly start: string } | { readonly until: number }

/** A message of one process to the others. */
export interface Cancellation {
  /** The id of this message: it is sent twice, and taken once. */
  readonly id: string
  /** The id of the client. */
  readonly user: string
  readonly callId: string
  readonly what: CancelledTarget
}

/** What was cancelled in the last minutes where it was not known, here or in another process. */
export interface Cancellations {
  of(user: string): readonly Cancellation[]
  note(message: Cancellation): void
}

/** For how long a message is remembered, in ms: longer than a process is frozen that still has the requests of pages. */
const REMEMBERED_MS = 600_000

/** How many messages are remembered, of a user and of all. */
const MAX_OF_USER = 1000
const MAX_MESSAGES = 10_000

const NONE: readonly Cancellation[] = []

export function createCancellations(now: () => number): Cancellations {
  /** The oldest first, and when each came. */
  const all = new Map<Cancellation, number>()
  const byUser = new Map<string, readonly Cancellation[]>()

  function forget(message: Cancellation): void {
    all.delete(message)
    const left = byUser.get(message.user)?.filter((each) => each !== message) ?? NONE
    if (left.length > 0) byUser.set(message.user, left)
    else byUser.delete(message.user)
  }

  function forgetOld(): void {
    const before = now() - REMEMBERED_MS
    for (const [message, cameAt] of all) {
      if (cameAt > before && all.size <= MAX_MESSAGES) return
      forget(message)
    }
  }

  return {
    of: (user) => {
      forgetOld()
      return byUser.get(user) ?? NONE
    },
    note: (message) => {
      const { user } = message
      const theirs = byUser.get(user) ?? NONE
      const [oldest] = theirs
      if (oldest !== undefined && theirs.length >= MAX_OF_USER) forget(oldest)
      all.set(message, now())
      byUser.set(user, [...(byUser.get(user) ?? NONE), message])
      forgetOld()
    },
  }
}

export function readCancellation(said: unknown): Cancellation | undefined {
  if (!isJsonObject(said) || !isJsonObject(said['what'])) return undefined
  const { id, user, callId, what } = said
  if (typeof id !== 'string' || typeof user !== 'string' || typeof callId !== 'string') return undefined
  if (typeof what.start === 'string') return { id, user, callId, what: { start: what.start } }
  return typeof what.until === 'number' ? { id, user, callId, what: { until: what.until } } : undefined
}
