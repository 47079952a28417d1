/** The same function, with no more than `limit` calls under way at once; the others wait in line. */
export function limitConcurrency<A extends unknown[], R>(
  run: (...args: A) => Promise<R>,
  limit: number,
): (...args: A) => Promise<R> {
  if (limit === Number.POSITIVE_INFINITY) return run
  const line: (() => void)[] = []
  let running = 0
  return async (...args) => {
    if (running < limit) running += 1
    // Whoever ends hands its place on, so that nobody slips in between.
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await run(...args)
    } finally {
      const next = line.shift()
      if (next) next()
      else running -= 1
    }
  }
}
