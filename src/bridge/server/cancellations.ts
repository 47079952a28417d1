import { isJsonObject } from '../../core/protocol/json.js'

/**
 * What was cancelled at a process that does not know it: a start, by the id of its request, or a run. `until`: when that was started, in ms since
 * the epoch.
 */
export type Unknown = { readonly start: string } | { readonly until: number }

/** A message of one process to the others. */
export interface Cancellation {
  /** That of the message: it is sent twice. */
  readonly id: string
  /** The id of the client. */
  readonly user: string
  readonly callId: string
  readonly what: Unknown
}

/** What was cancelled where it was not known, here or in another process. */
export interface Cancellations {
  /** The newest of this user. */
  of(user: string): readonly Cancellation[]
  note(message: Cancellation): void
}

/** How many of a user are remembered. */
const MAX_OF_USER = 1000

/** Those of how many users. */
const MAX_USERS = 10_000

export function createCancellations(): Cancellations {
  const byUser = new Map<string, readonly Cancellation[]>()
  const of = (user: string) => byUser.get(user) ?? []
  return {
    of,
    note: (message) => {
      const { user } = message
      const theirs = [...of(user), message].slice(-MAX_OF_USER)
      byUser.delete(user)
      byUser.set(user, theirs)
      const [oldest] = byUser.keys()
      if (byUser.size > MAX_USERS && oldest !== undefined) byUser.delete(oldest)
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
