/**
 * The same promise, whose rejection nobody has to handle: a tool that forgets an `await` must not be able
 * to take the process down with it. Whoever does await it sees the rejection.
 */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
