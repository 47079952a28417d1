import type { Environment } from '../../core/environment/environment.js'

/**
 * What the work comes to, or undefined where that takes longer than so many ms.
 *
 * @throws what the work rejects with.
 */
export async function orLate<T>(
  work: Promise<T>,
  ms: number,
  { setTimeout, clearTimeout }: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
): Promise<T | undefined> {
  let timer: unknown
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
