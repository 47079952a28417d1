/** A clock that notices when it is set back. */
export interface Clock {
  now(): number
  /** What it said last. */
  last(): number
}

/** @param onSetBack Called before the time is returned, where the clock was set back since, by as many ms. */
export function watchClock(now: () => number, onSetBack: (by: number) => void): Clock {
  let last = now()
  return {
    last: () => last,
    now: () => {
      const at = now()
      const by = last - at
      last = at
      if (by > 0) onSetBack(by)
      return at
    },
  }
}
