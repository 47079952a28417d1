/** Runs operations on one key one after the other, and those on different keys concurrently. */
export function createKeyedQueue(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>()
  return (key, run) => {
    const result = (tails.get(key) ?? Promise.resolve()).then(run)
    const tail = result
      .catch(() => {})
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
    tails.set(key, tail)
    return result
  }
}
