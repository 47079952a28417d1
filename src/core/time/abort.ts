/** The error a promise rejects with when its caller stops waiting; `name` is what `fetch` uses. */
export function abortError(message: string): Error {
  const error = new Error(message)
  error.name = 'AbortError'
  return error
}

/** What is to be run when a signal aborts, by the signal. It has one listener for all: of more than ten, Node warns. */
const sharedBy = new WeakMap<AbortSignal, ReturnType<typeof share>>()

function share(signal: AbortSignal) {
  const listeners = new Set<() => void>()
  const runAll = () => {
    for (const run of listeners) run()
  }
  const stop = () => {
    sharedBy.delete(signal)
    signal.removeEventListener('abort', runAll)
  }
  signal.addEventListener('abort', runAll, { once: true })
  const shared = { listeners, stop }
  sharedBy.set(signal, shared)
  return shared
}

/** Runs `listener` when the signal aborts, at once where it has. Returns a function that stops listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener()
    return () => {}
  }
  const { listeners, stop } = sharedBy.get(signal) ?? share(signal)
  const run = () => listener()
  listeners.add(run)
  return () => {
    if (listeners.delete(run) && listeners.size === 0) stop()
  }
}

/** Rejects with the signal's reason when it aborts. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => onAbort(signal, () => reject(signal.reason)))
}
