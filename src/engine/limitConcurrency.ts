import { onAbort } from './abort.js'

/**
 * The same function, with no more than `limit` calls under way at once; the others wait in line.
 * Whoever aborts leaves the line with the signal's reason.
 */
export function limitConcurrency<K, A extends unknown[], R>(
  run: (key: K, signal?: AbortSignal, ...rest: A) => Promise<R>,
  limit: number,
): (key: K, signal?: AbortSignal, ...rest: A) => Promise<R> {
  if (limit === Number.POSITIVE_INFINITY) return run
  const line = new Set<() => void>()
  let running = 0

  async function queue(signal: AbortSignal | undefined): Promise<void> {
    let leave = () => {}
    try {
      await new Promise<void>((resolve, reject) => {
        line.add(resolve)
        if (signal === undefined) return
        leave = onAbort(signal, () => {
          line.delete(resolve)
          reject(signal.reason)
        })
      })
    } finally {
      leave()
    }
  }

  return async (key, signal, ...rest) => {
    signal?.throwIfAborted()
    if (running < limit) running += 1
    // Whoever ends hands its place on, so that nobody slips in between.
    else await queue(signal)
    try {
      return await run(key, signal, ...rest)
    } finally {
      const [next] = line
      if (next) {
        line.delete(next)
        next()
      } else running -= 1
    }
  }
}
