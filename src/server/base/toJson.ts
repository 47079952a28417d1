/** The value as JSON carries it, or undefined where JSON cannot carry it (cycles, bigint, functions). */
export function toJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}
