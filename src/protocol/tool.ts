import type { JsonObject } from './json.js'

/** A tool as `tools/list` describes it (MCP 2026-07-28, "Tools"). What else a server says of it is there, too. */
export interface Tool {
  name: string
  /** For people; so is the title in `annotations`, which counts where this one is missing. */
  title?: string | undefined
  description?: string | undefined
  /** JSON Schema of the arguments. */
  inputSchema: { type: 'object'; [keyword: string]: unknown }
  /** JSON Schema of `structuredContent`. */
  outputSchema?: { [keyword: string]: unknown } | undefined
  /** What the tool says of itself. Hints, of a server that may be wrong. */
  annotations?:
    | {
        title?: string | undefined
        readOnlyHint?: boolean | undefined
        destructiveHint?: boolean | undefined
        idempotentHint?: boolean | undefined
        openWorldHint?: boolean | undefined
      }
    | undefined
  _meta?: JsonObject | undefined
}
