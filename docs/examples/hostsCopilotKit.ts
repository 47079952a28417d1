import type { ToolSet } from 'ai'
import { mcpTools } from 'taskwire/ai'
import { clientOfUser } from './backendClients.ts'

/** The option `mcpClients` of `BuiltInAgent`, for the user of a request. */
export function mcpClientsOf(
  userId: string,
): { tools: () => Promise<ToolSet> }[] {
  return [{ tools: () => mcpTools(clientOfUser(userId)) }]
}
