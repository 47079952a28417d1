import type { Environment } from '../environment/environment.js'
import { StorageSilentError } from './recordItems.js'

/** How long a storage may take to answer, in ms: tasks must not wait for one that never does. */
const STORAGE_LIMIT_MS = 5000

/** A machine that sleeps is late by one look and no more: what it was waiting for arrives between two of them. */
const LOOKS = 5

/** The same promise, or one that rejects where it takes too long. */
export function inTime<T>(
  pending: Promise<T>,
  environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: unknown
    const look = (left: number) => {
      if (left === 0) return reject(new StorageSilentError(`it did not answer within ${STORAGE_LIMIT_MS / 1000} s.`))
      timer = environment.setTimeout(() => look(left - 1), STORAGE_LIMIT_MS / LOOKS)
    }
    look(LOOKS)
    pending.then(resolve, reject).finally(() => environment.clearTimeout(timer))
  })
}
