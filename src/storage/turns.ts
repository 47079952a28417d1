/** What a storage returns that may answer at once or take its time. */
export type Awaitable<T> = T | Promise<T>

/** What `await` does, but at once where there is nothing to wait for. */
export function andThen<A, B>(value: Awaitable<A>, next: (value: A) => Awaitable<B>): Awaitable<B> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** Runs the operations on one item one after the other; at once where none is under way. */
export type InTurn = <T>(key: string, operation: () => Awaitable<T>) => Awaitable<T>

/**
 * A storage that takes its time would mix operations on an item up:
 *
 * ```text
 * update  reads ──────────── writes
 * remove          removes               and the record is back
 * ```
 */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return (key, operation) => {
    const before = last.get(key)
    const result = before === undefined ? operation() : before.then(operation)
    if (!isPromise(result)) return result
    const turn: Promise<unknown> = result
      .catch(() => {})
      .finally(() => {
        if (last.get(key) === turn) last.delete(key)
      })
    last.set(key, turn)
    return result
  }
}

/** Other libraries' promises count, too. */
function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined)?.then === 'function'
}
