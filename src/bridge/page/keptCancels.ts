import type { Environment } from '../../core/environment/environment.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/**
 * A cancellation that the backend has not taken. `run` is that of its call. Without it, `start` is the id of the start that the backend had not
 * answered when its call was cancelled.
 */
export interface KeptCancel {
  readonly callId: string
  readonly id: string
  /** When it was asked for, in ms since the epoch. */
  readonly at: number
  /** Absent of a start that was sent before the first news: the backend knows by its id whose it was. */
  readonly user?: string | undefined
  readonly run?: number | undefined
  readonly start?: string | undefined
  /** When it was asked for. */
  readonly since?: number | undefined
  readonly name?: string
  readonly key?: string
  /** When the call of that key was started that the page knew before. */
  readonly seen?: number | undefined
}

/** What is kept in the browser for the next page. */
export interface KeptCancels {
  /** That of the user of this page; of every user, before the page knows its own. */
  read(): readonly KeptCancel[]
  find(callId: string): KeptCancel | undefined
  keep(cancel: KeptCancel): void
  drop(callId: string): void
  /** Removes everything but this. */
  write(cancels: readonly KeptCancel[]): void
}

/** How many cancellations are kept that no page gets through. */
const MAX_KEPT = 100

/** A page that may not use its storage loses its cancellations when it is closed. */
export function createKeptCancels(
  item: string,
  storage: Environment['storage'],
  userOfPage: () => string | undefined,
): KeptCancels {
  function read(): readonly KeptCancel[] {
    const own = userOfPage()
    try {
      const all: unknown = JSON.parse(storage('local')?.getItem(item) ?? '[]')
      if (!Array.isArray(all)) return []
      return all.filter(isKept).filter(({ user }) => own === undefined || user === undefined || user === own)
    } catch {
      return []
    }
  }

  function write(kept: readonly KeptCancel[]): void {
    try {
      if (kept.length === 0) storage('local')?.removeItem(item)
      else storage('local')?.setItem(item, JSON.stringify(kept.slice(-MAX_KEPT)))
    } catch {}
  }

  const others = (callId: string) => read().filter((kept) => kept.callId !== callId)

  return {
    read,
    write,
    find: (callId) => read().find((kept) => kept.callId === callId),
    keep: (cancel) => write([...others(cancel.callId), cancel]),
    drop: (callId) => write(others(callId)),
  }
}

function isKept(value: unknown): value is KeptCancel & JsonObject {
  if (!isJsonObject(value)) return false
  const { callId, id, run, start } = value
  return typeof callId === 'string' && typeof id === 'string' && (typeof start === 'string' || typeof run === 'number')
}
