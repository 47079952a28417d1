// Pages load it in development alone, so it imports nothing: what it shared with the first load would be taken out of that
// into a file of its own.

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
export function toolsHash(tools: readonly ToolSchemas[], hash: (text: string) => string): string {
  return hash(JSON.stringify(tools.map((tool) => toolHash(tool, hash)).sort()))
}

/** The same for one tool. */
export function toolHash({ name, inputSchema, outputSchema }: ToolSchemas, hash: (text: string) => string): string {
  return hash(JSON.stringify([name, inputSchema ?? null, outputSchema ?? null], canonical))
}

/** Keys in order. A `description` that is a text describes; one that is a schema is a property. */
function canonical(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).filter(([key, member]) => key !== 'description' || typeof member !== 'string')
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
