import { nextMacrotask } from '../base/nextMacrotask.js'

/** How many items are in a batch at most, and how many batches are under way. */
export interface BatchLimits {
  readonly items: number
  readonly batches: number
}

/**
 * Collects what comes in one turn of the event loop, or while as many batches as may be are under way, and does it in the next one:
 * one round trip for all that came meanwhile. Results are in the order of the items. Where a batch fails for what is in it, each of its
 * items is tried alone.
 */
export function createBatches<Item, Result>(
  limits: BatchLimits,
  isFaultOfItem: (error: unknown) => boolean,
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item
    resolve(result: Result): void
    reject(error: unknown): void
  }
  let waiting: Waiting[] = []
  let underWay = 0
  let isDue = false

  async function runBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await runAll(batch.map(({ item }) => item))
      for (const [index, result] of results.entries()) batch[index]?.resolve(result)
    } catch (error) {
      if (batch.length > 1 && isFaultOfItem(error)) for (const one of batch) await runBatch([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  async function run(): Promise<void> {
    isDue = true
    await nextMacrotask()
    isDue = false
    underWay += 1
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limits.items)
      waiting = waiting.slice(limits.items)
      await runBatch(batch)
    }
    underWay -= 1
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isDue && underWay < limits.batches) void run()
    })
}
