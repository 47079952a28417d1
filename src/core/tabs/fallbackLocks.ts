import type { Locks } from '../environment/environment.js'

/**
 * Locks that grant what the browser refuses to decide: in a sandboxed frame, where storage is blocked and in
 * a document on its way out every request is rejected, so a page there is as alone as one without Web Locks.
 *
 * `onRefused` is called with the error, once.
 */
export function locksWithFallback(locks: Locks, onRefused: (error: unknown) => void): Locks {
  let isRefusalKnown = false
  return {
    request: async (name, options, hold) => {
      let isGranted = false
      try {
        return await locks.request(name, options, (lock) => {
          isGranted = true
          return hold(lock)
        })
      } catch (error) {
        if (isGranted || options.signal?.aborted) throw error
        if (!isRefusalKnown) onRefused(error)
        isRefusalKnown = true
        return hold(null)
      }
    },
  }
}
