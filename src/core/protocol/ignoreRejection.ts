/**
 * The same promise, whose rejection need not be handled: an event handler or a tool that does not await it causes no unhandled
 * rejection. Code that does await it sees the rejection.
 */
export function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
