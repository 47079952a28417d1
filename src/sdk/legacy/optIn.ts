import { isJsonObject } from '../../core/protocol/json.js'
import { legacyTaskSupport, servesLegacyTasks } from '../../core/protocol/legacyTask.js'
import type { LegacyTasksMode } from '../../core/wire/legacyOptions.js'

export interface LegacyOptInOptions {
  /** The server's; undefined: the client continues a session of an earlier page, and does not know them. */
  readonly capabilities: unknown
  readonly mode: LegacyTasksMode
  readonly listTools: () => Promise<readonly unknown[]>
}

/** Decides for each call whether it asks for a task (2025-11-25, "Tool-Level Negotiation"). */
export interface LegacyOptIn {
  /** Rejects where the tools cannot be listed: nothing has been sent then. */
  wantsTask(tool: string): Promise<boolean>
  /** Forgets the list: the server says that it has changed. */
  invalidate(): void
}

export function legacyOptIn({ capabilities, mode, listTools }: LegacyOptInOptions): LegacyOptIn {
  let tools: Promise<readonly unknown[]> | undefined

  function list(): Promise<readonly unknown[]> {
    const listing = listTools()
    tools = listing
    listing.catch(() => {
      if (tools === listing) tools = undefined
    })
    return listing
  }

  async function find(name: string): Promise<unknown> {
    const known = tools === undefined ? undefined : named(await tools, name)
    return known ?? named(await list(), name)
  }

  return {
    wantsTask: async (name) => {
      if (mode === 'never' || (capabilities !== undefined && !servesLegacyTasks(capabilities))) return false
      const support = legacyTaskSupport(await find(name))
      return support === 'required' || (support === 'optional' && mode === 'auto')
    },
    invalidate: () => {
      tools = undefined
    },
  }
}

function named(tools: readonly unknown[], name: string): unknown {
  return tools.find((tool) => isJsonObject(tool) && tool['name'] === name)
}
