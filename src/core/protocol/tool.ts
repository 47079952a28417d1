import type { JsonObject } from './json.js'

/** A tool as `tools/list` describes it (MCP 2026-07-28, "Tools"). It also has the other members that the server sends. */
export interface Tool {
  name: string
  /** The title for people. If it is missing, use the title in `annotations`. */
  title?: string | undefined
  description?: string | undefined
  /** JSON Schema of the arguments. */
  inputSchema: { type: 'object'; [keyword: string]: unknown }
  /** JSON Schema of `structuredContent`. */
  outputSchema?: { [keyword: string]: unknown } | undefined
  /** The server's hints about the tool. They may be wrong. */
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
