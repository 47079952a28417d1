/** What a synchronous or an asynchronous storage returns. */
export type MaybePromise<T> = T | Promise<T>

/** Maps a value like `await`, but at once if it is no promise. */
export function mapMaybePromise<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** Runs the operations on one key one after the other; at once if none is under way. */
export type KeyedQueue = <T>(key: string, operation: () => MaybePromise<T>) => MaybePromise<T>

/**
 * A storage that takes its time would mix operations on an item up:
 *
 * ```text
 * update  reads ──────────── writes
 * remove          removes               and the record is back
 * ```
 *
 * After five seconds an operation is not waited for any longer (inTime.ts).
 */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>()
  return (key, operation) => {
    const before = last.get(key)
    const result = before === undefined ? operation() : before.then(operation)
    if (!isPromise(result)) return result
    const tail: Promise<unknown> = result
      .catch(() => {})
      .finally(() => {
        if (last.get(key) === tail) last.delete(key)
      })
    last.set(key, tail)
    return result
  }
}

/** Other libraries' promises count, too. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined)?.then === 'function'
}
