import type { Client, Tool } from '@modelcontextprotocol/client'
import type { ToolDefinition } from '../../server/tools/defineTool.js'

/** The tools of the server behind, as they were listed last. */
export interface ListedTools {
  /** Empty before the first list. */
  readonly current: readonly ToolDefinition[]
  readonly areKnown: boolean
  /** Has the server behind list them. */
  refresh(client: Client): Promise<void>
}

/** Tools that have not been listed yet. `onChange` is called with each list after the first. */
export function createListedTools(
  define: (listed: readonly Tool[]) => readonly ToolDefinition[],
  onChange: () => void,
): ListedTools {
  let current: readonly ToolDefinition[] = []
  /** How many lists were asked for, and which of them is `current`; 0 before the first. */
  let asked = 0
  let known = 0

  return {
    get current() {
      return current
    },
    get areKnown() {
      return known > 0
    },
    async refresh(client) {
      const number = ++asked
      const hasTools = client.getServerCapabilities()?.tools !== undefined
      const listed = hasTools ? await client.listTools(undefined, { cacheMode: 'refresh' }) : { tools: [] }
      // Lists may arrive in another order than that in which they were asked for.
      if (number < known) return
      const isFirst = known === 0
      current = define(listed.tools)
      known = number
      if (!isFirst) onChange()
    },
  }
}
