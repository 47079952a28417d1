/** The errors that components have thrown to an error boundary. */
const thrownErrors = new WeakSet<object>()

/** A component throws the error of a call. */
export function noteThrown(error: Error): void {
  thrownErrors.add(error)
}

/**
 * True once after that. A reset of error boundaries says no more than that some error was reset: where the app has no
 * `QueryErrorResetBoundary`, TanStack Query has one for the whole page.
 */
export function takeThrown(error: unknown): boolean {
  return thrownErrors.delete(error as object)
}
