/** A JSON object whose members have not been looked at yet. */
export type JsonObject = Record<string, unknown>

/** True for what JSON calls an object: no array, no null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
