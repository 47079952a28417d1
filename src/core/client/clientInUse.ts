/**
 * A method of clients that a pool closes when they are not used. Pages that watch a client keep it: the pool does not see
 * them. Returns a function that lets it go.
 */
export const KEEP_IN_USE: unique symbol = Symbol('taskwire.keepInUse')

/** A client that may have an owner who closes it. */
export interface KeepsInUse {
  readonly [KEEP_IN_USE]?: () => () => void
}
