/** Runs work in the order in which it comes: what comes while something is under way waits for its end. */
export type Take = (work: () => void) => void

/** A queue that the outermost caller empties. `later` calls back after what threw, so that it takes nothing else with it. */
export function createQueue(later: (work: () => void) => void): Take {
  const queue: (() => void)[] = []
  let isTaking = false
  const take: Take = (work) => {
    queue.push(work)
    if (isTaking) return
    isTaking = true
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) next()
    } finally {
      isTaking = false
      if (queue.length > 0) later(() => take(() => {}))
    }
  }
  return take
}
