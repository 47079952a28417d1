import type { TaskClient } from 'taskwire'
import { type McpToolSet, mcpTools } from 'taskwire/ai'

/** The user is asked before a tool is called that may destroy something. */
export function carefulTools(client: TaskClient): Promise<McpToolSet> {
  return mcpTools(client, { needsApproval: (tool) => tool.annotations?.destructiveHint === true })
}
