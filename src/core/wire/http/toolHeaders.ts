import { isJsonObject, type JsonObject } from '../../protocol/json.js'

/** An argument of a tool that a header repeats (`x-mcp-header`). */
export interface ToolHeader {
  /** Where the argument stands. */
  readonly path: readonly string[]
  readonly name: string
}

/** A header name is a token (RFC 9110, section 5.1). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const TYPES: readonly unknown[] = ['string', 'integer', 'boolean']

/** Keywords that hold values, not schemas. */
const VALUES: readonly string[] = ['default', 'const', 'enum', 'examples']

/**
 * The headers that the arguments of a tool ask for; undefined where one asks in a way that it may not: such a tool is left out
 * (MCP 2026-07-28, "Streamable HTTP", "Custom Headers from Tool Parameters"). Only properties, and properties of these, may
 * ask; each for a header of its own.
 */
export function toolHeaders(inputSchema: unknown): readonly ToolHeader[] | undefined {
  const found: ToolHeader[] = []

  /** `path` is undefined where no argument can be named. */
  function isValid(schema: unknown, path?: readonly string[]): boolean {
    if (Array.isArray(schema)) return schema.every((item) => isValid(item))
    if (!isJsonObject(schema)) return true
    const { 'x-mcp-header': name, properties, ...others } = schema
    if (name !== undefined && !(path?.length && take(name, schema['type'], path))) return false
    const children = Object.entries(isJsonObject(properties) ? properties : {})
    const isRest = ([keyword, value]: [string, unknown]) => VALUES.includes(keyword) || isValid(value)
    return (
      children.every(([key, child]) => isValid(child, path && [...path, key])) && Object.entries(others).every(isRest)
    )
  }

  function take(name: unknown, type: unknown, path: readonly string[]): boolean {
    if (typeof name !== 'string' || !TOKEN.test(name) || !TYPES.includes(type)) return false
    const isNew = found.every((other) => other.name.toLowerCase() !== name.toLowerCase())
    found.push({ path, name })
    return isNew
  }

  return isValid(inputSchema, []) ? found : undefined
}

/** What these headers say for the arguments of a call; an argument that is absent or `null` has none. */
export function headersOfArguments(headers: readonly ToolHeader[], args: unknown): [name: string, value: string][] {
  return headers.flatMap(({ path, name }) => {
    const value = path.reduce<unknown>((holder, key) => (isJsonObject(holder) ? holder[key] : undefined), args)
    const isPlain = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
    return isPlain ? [[`Mcp-Param-${name}`, String(value)]] : []
  })
}

/** The headers that tools ask for, by the name of the tool, as far as they were listed. */
export type ListedHeaders = Map<string, readonly ToolHeader[]>

/** Takes a page of tools: those that may be called. */
export function takeListed<T extends { name: string; inputSchema: JsonObject }>(
  listed: ListedHeaders,
  tools: readonly T[],
): T[] {
  return tools.filter(({ name, inputSchema }) => {
    const headers = toolHeaders(inputSchema)
    if (headers) listed.set(name, headers)
    return headers !== undefined
  })
}
