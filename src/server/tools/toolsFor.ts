import { type ExchangeOwner, ownerOf } from '../http/ownerOf.js'
import type { ServerParts } from '../serverParts.js'
import type { ToolDefinition } from './defineTool.js'

/** The tools that a request may use. Only where they differ by owner, the owner is asked for. */
export async function toolsFor(
  exchange: ExchangeOwner,
  config: ServerParts['config'],
): Promise<readonly ToolDefinition[]> {
  const { tools } = config
  return typeof tools === 'function' ? config.toolsOf(await ownerOf(exchange, config)) : tools
}
