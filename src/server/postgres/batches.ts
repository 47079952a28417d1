import { nextMacrotask } from '../base/nextMacrotask.js'

const MAX_BATCH = 100

/**
 * Collects what comes in one turn of the event loop, or while a batch is under way, and does it in the next one: one round trip for
 * all that came meanwhile. Results are in the order of the items. Where a batch fails for what is in it, each of its items is tried
 * alone.
 */
export function createBatches<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  isFaultOfItem: (error: unknown) => boolean,
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item
    resolve(result: Result): void
    reject(error: unknown): void
  }
  let waiting: Waiting[] = []
  let isRunning = false

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
    isRunning = true
    await nextMacrotask()
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH)
      waiting = waiting.slice(MAX_BATCH)
      await runBatch(batch)
    }
    isRunning = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isRunning) void run()
    })
}
