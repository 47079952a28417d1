/**
 * The same promise, whose rejection need not be handled: a tool that forgets an `await` must not be able to take the
 * process down. Code that does await it sees the rejection.
 */
export function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
