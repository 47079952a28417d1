import { isJsonObject } from '../../protocol/json.js'

/** A header name is a token (RFC 9110, section 5.1). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const TYPES: readonly unknown[] = ['string', 'integer', 'boolean']

/** Keywords that hold values, not schemas. */
const VALUES: readonly string[] = ['default', 'const', 'enum', 'examples']

/**
 * False where an argument of a tool asks for a header (`x-mcp-header`) in a way that it may not: such a tool is left out
 * (MCP 2026-07-28, "Streamable HTTP", "Custom Headers from Tool Parameters"). Only properties, and properties of these, may
 * ask; each for a header of its own.
 */
export function hasValidHeaders(inputSchema: unknown): boolean {
  const names = new Set<string>()

  function isValid(schema: unknown, isProperty: boolean, mayHoldProperties: boolean): boolean {
    if (Array.isArray(schema)) return schema.every((item) => isValid(item, false, false))
    if (!isJsonObject(schema)) return true
    const { 'x-mcp-header': name, properties, ...others } = schema
    if (name !== undefined && !(isProperty && isHeader(name, schema['type']))) return false
    const children = Object.values(isJsonObject(properties) ? properties : {})
    const isRest = ([keyword, value]: [string, unknown]) => VALUES.includes(keyword) || isValid(value, false, false)
    return (
      children.every((child) => isValid(child, mayHoldProperties, mayHoldProperties)) &&
      Object.entries(others).every(isRest)
    )
  }

  function isHeader(name: unknown, type: unknown): boolean {
    if (typeof name !== 'string' || !TOKEN.test(name) || !TYPES.includes(type)) return false
    const isNew = !names.has(name.toLowerCase())
    names.add(name.toLowerCase())
    return isNew
  }

  return isValid(inputSchema, false, true)
}
