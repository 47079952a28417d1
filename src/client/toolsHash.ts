import { isJsonObject } from '../protocol/json.js'
import { hash } from '../storage/hash.js'

/** What a tool takes and returns, as `tools/list` says it. */
export interface ToolSchemas {
  readonly name: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

/**
 * A name for what a list of tools takes and returns: the same whatever their order, that of their keys, and their
 * descriptions. `npx taskwire types` writes it beside the types.
 */
export function toolsHash(tools: readonly ToolSchemas[]): string {
  return hash(JSON.stringify(tools.map(toolHash).sort()))
}

/** The same for one tool. */
export function toolHash({ name, inputSchema, outputSchema }: ToolSchemas): string {
  return hash(JSON.stringify([name, inputSchema ?? null, outputSchema ?? null], canonical))
}

/** Keys in order. A `description` that is a text describes; one that is a schema is a property. */
function canonical(_key: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).filter(([key, member]) => key !== 'description' || typeof member !== 'string')
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
