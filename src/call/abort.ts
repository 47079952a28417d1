/** The error a promise rejects with when nobody waits for it any more; `name` is what `fetch` uses. */
export function abortError(message: string): Error {
  const error = new Error(message)
  error.name = 'AbortError'
  return error
}

/** Runs `listener` when the signal aborts, at once where it has. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener()
    return () => {}
  }
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}
