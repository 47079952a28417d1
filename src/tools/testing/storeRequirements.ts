import type { TaskStore } from '../../server/tasks/taskStore.js'

/** Tests with an empty store, by the sentences of their requirements. Each rejects with the problem. */
export type StoreRequirements = Readonly<Record<string, (store: TaskStore) => Promise<void>>>

/**
 * Compares two values by their JSON.
 *
 * @throws {TypeError} if they differ.
 */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(sorted(value)))
  if (found !== wanted) throw new TypeError(`Expected ${what} to be ${wanted}, but it is ${found}.`)
}

/** A database may change the order of fields. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
