/** Runs work when it has a place; the others wait in line. */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** Lets so much work be under way at once. */
export function createSemaphore(places: number): Semaphore {
  const line: (() => void)[] = []
  let free = places
  return async (work) => {
    if (free > 0) free -= 1
    // A place that becomes free is handed on, so that no other caller slips in between.
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
