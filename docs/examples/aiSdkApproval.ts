import type { TaskClient } from 'taskwire'
import { type McpToolSet, mcpTools } from 'taskwire/ai'

/** Asks the user before a tool is called that may destroy something. */
export function carefulTools(client: TaskClient): Promise<McpToolSet> {
  return mcpTools(client, {
    needsApproval: (tool) => tool.annotations?.destructiveHint === true,
  })
}
