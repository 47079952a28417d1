import { isJsonObject } from '../../core/protocol/json.js'

/** The same text for the same JSON, whatever the order of fields. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.keys(value).sort()
  return `{${fields.map((field) => `${JSON.stringify(field)}:${canonicalJson(value[field])}`).join()}}`
}
