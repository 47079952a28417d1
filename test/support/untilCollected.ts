import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
export const collectGarbage: () => void = runInNewContext('gc')

const ROUNDS = 5

/**
 * Collects garbage until these objects are gone, a few times at most: the engine keeps what was dereferenced until the job is over, and may hold
 * what code has touched last for a little longer. Returns what is left of them.
 */
export async function untilCollected(kept: readonly (WeakRef<object> | undefined)[]): Promise<readonly object[]> {
  const left = () => kept.flatMap((one) => one?.deref() ?? [])
  for (let round = 0; round < ROUNDS; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    if (left().length === 0) break
  }
  return left()
}
