import { TaskStorageError } from '../../core/protocol/errors.js'
import { systemClock, unrefTimer } from './clock.js'

/**
 * The promise, or a rejection where it does not settle in `ms`: databases behind a broken network may never answer. What the
 * promise does later is ignored.
 */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: unknown
  const late = new Promise<never>((_, reject) => {
    timer = systemClock.setTimeout(() => reject(new TaskStorageError(`Failed to ${what}: no answer in ${ms} ms.`)), ms)
    unrefTimer(timer)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    systemClock.clearTimeout(timer)
  }
}
