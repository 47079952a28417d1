/** Counts things by a name. */
export interface Tally {
  /** How many there are of all names together. */
  readonly total: number
  of(name: string): number
  add(name: string): void
  remove(name: string): void
}

/** A tally of nothing. Names of which nothing is left cost no memory. */
export function createTally(): Tally {
  const counts = new Map<string, number>()
  let total = 0

  function change(name: string, by: 1 | -1): void {
    const count = (counts.get(name) ?? 0) + by
    total += by
    if (count === 0) counts.delete(name)
    else counts.set(name, count)
  }

  return {
    get total() {
      return total
    },
    of: (name) => counts.get(name) ?? 0,
    add: (name) => change(name, 1),
    remove: (name) => change(name, -1),
  }
}
