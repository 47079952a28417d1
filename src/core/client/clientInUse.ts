import type { TaskClient } from './taskClient.js'

/**
 * A method of clients that a pool closes when they are not used. Pages that watch a client keep it: the pool does not see
 * them. Returns a function that lets it go.
 */
export const KEEP_IN_USE: unique symbol = Symbol('taskwire.keepInUse')

/** A client that may have an owner who closes it. */
export interface KeepsInUse {
  readonly [KEEP_IN_USE]?: () => () => void
}

/** Keeps a client of a pool while it is needed. Returns a function that lets it go. */
export function keepInUse(client: TaskClient & KeepsInUse): () => void {
  return client[KEEP_IN_USE]?.() ?? (() => {})
}
