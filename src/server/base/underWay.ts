/** Work that has begun, for somebody who has to wait until none is left. */
export interface UnderWay {
  /** The same promise, which is waited for. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when all that has begun has ended, however that was. */
  ended(): Promise<void>
}

/** Nothing has begun. */
export function createUnderWay(): UnderWay {
  const all = new Set<Promise<unknown>>()
  return {
    track(work) {
      const end = () => void all.delete(work)
      all.add(work)
      work.then(end, end)
      return work
    },
    async ended() {
      await Promise.allSettled(all)
    },
  }
}
