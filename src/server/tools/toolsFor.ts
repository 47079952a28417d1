import type { Exchange } from '../http/exchange.js'
import { ownerOf } from '../http/ownerOf.js'
import type { ServerParts } from '../serverParts.js'
import type { ToolDefinition } from './defineTool.js'

/**
 * The tools that a request may use. Only where they differ by owner, the owner is asked for. The record of a job has the
 * owner: its request has none of the headers that they may be told by, and a worker has no option `owner`.
 */
export async function toolsFor(
  exchange: Pick<Exchange, 'request' | 'authInfo' | 'isJob' | 'run'>,
  config: ServerParts['config'],
): Promise<readonly ToolDefinition[]> {
  const { tools } = config
  if (typeof tools !== 'function') return tools
  const owner = exchange.isJob ? exchange.run?.record.owner : undefined
  return config.toolsOf(owner ?? (await ownerOf(exchange, config)))
}
