import { isJsonObject, isTooDeep, type JsonObject } from '../../protocol/json.js'
import type { Tool } from '../../protocol/tool.js'
import { readPages } from '../readPages.js'
import { WireError } from '../wireErrors.js'
import type { LiteRequests } from './liteRequests.js'
import { takeListed } from './toolHeaders.js'

/** `tools/list`, every page of it (MCP 2026-07-28, "Pagination"). None where the server says that it has no tools. */
export async function listTools(requests: LiteRequests, capabilities: JsonObject): Promise<Tool[]> {
  if (capabilities['tools'] === undefined) return []
  const tools = await readPages(async (params) => {
    const result = await requests.requestInTime('tools/list', params)
    const { tools, nextCursor } = result
    if (isTooDeep(result) || !Array.isArray(tools) || !tools.every(isTool)) {
      throw new WireError('INVALID_RESULT', 'The result of tools/list is not a list of tools.')
    }
    return { tools, nextCursor }
  })
  return takeListed(requests.listedHeaders, tools)
}

function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && typeof value['name'] === 'string' && isJsonObject(value['inputSchema'])
}
