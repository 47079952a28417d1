/** Places for work to run in. */
export interface Slots {
  /** How many are waiting for a place. */
  readonly waiting: number
  /** How many have a place. */
  readonly running: number
  /** Resolves to a function that gives the place back. Rejects with the signal's reason when that aborts before. */
  take(id: string, signal: AbortSignal): Promise<() => void>
  /** How many come before this one; undefined where it does not wait. */
  ahead(id: string): number | undefined
}

/** So many places, first come first served. */
export function createSlots(size: number): Slots {
  /** In the order of their coming; each starts when it is called. */
  const queue = new Map<string, () => void>()
  /** Their places, counted from the first that ever waited. Undefined where one has left from among the others. */
  let places: Map<string, number> | undefined = new Map()
  let taken = 0
  let running = 0

  function release(): void {
    running -= 1
    const [next] = queue
    if (next === undefined) return
    queue.delete(next[0])
    places?.delete(next[0])
    taken += 1
    next[1]()
  }

  function occupy(): () => void {
    running += 1
    let isHeld = true
    return () => {
      if (isHeld) release()
      isHeld = false
    }
  }

  return {
    get waiting() {
      return queue.size
    },
    get running() {
      return running
    },
    async take(id, signal) {
      signal.throwIfAborted()
      if (running < size) return occupy()
      return new Promise((resolve, reject) => {
        const leave = () => {
          queue.delete(id)
          places = undefined
          reject(signal.reason)
        }
        signal.addEventListener('abort', leave, { once: true })
        places?.set(id, taken + queue.size)
        queue.set(id, () => {
          signal.removeEventListener('abort', leave)
          resolve(occupy())
        })
      })
    },
    ahead(id) {
      if (!queue.has(id)) return undefined
      // Not searched for: each of ten thousand tasks that wait is polled.
      places ??= new Map([...queue.keys()].map((waiting, index) => [waiting, taken + index]))
      return (places.get(id) ?? taken) - taken
    },
  }
}
