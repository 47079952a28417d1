// Apart from unavailable.ts: stores load without the SDK.

/** Errors of stores that are certain to have written nothing. */
const unwritten = new WeakSet<object>()

/** The same error, marked: the database has refused the write, or did not get it. */
export function nothingWritten(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) unwritten.add(error)
  return error
}

/** Whether the error was marked by {@link nothingWritten}. */
export const isUnwritten = (error: unknown): boolean => unwritten.has(Object(error))
