/** A JSON object whose members have not been checked yet. */
export type JsonObject = Record<string, unknown>

/** What the text says; undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value as JSON carries it; undefined where JSON cannot carry it (cycles, bigint, functions). */
export function toJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

/** True for what JSON calls an object: no array, no null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Deeper JSON has no use, and recursive functions, those of the browser included, run out of stack on it. */
const MAX_DEPTH = 512

/** True where lists and objects are nested too deep to be passed on. */
export function isTooDeep(value: unknown): boolean {
  let level: object[] = [{ value }]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((item) =>
      Object.values(item).filter((member) => typeof member === 'object' && member !== null),
    )
  }
  return false
}
