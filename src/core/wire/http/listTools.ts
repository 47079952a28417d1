import { isJsonObject, isTooDeep, type JsonObject } from '../../protocol/json.js'
import type { Tool } from '../../protocol/tool.js'
import { WireError } from '../wireErrors.js'
import type { LiteRequests } from './liteRequests.js'
import { takeListed } from './toolHeaders.js'

/** How many pages are read: a server whose list has no end must not keep the page busy. */
const MAX_PAGES = 64

/** `tools/list`, every page of it (MCP 2026-07-28, "Pagination"). None where the server says that it has no tools. */
export async function listTools(requests: LiteRequests, capabilities: JsonObject): Promise<Tool[]> {
  if (capabilities['tools'] === undefined) return []
  const tools: Tool[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await requests.requestInTime('tools/list', cursor === undefined ? {} : { cursor })
    const listed = result['tools']
    if (isTooDeep(result) || !Array.isArray(listed) || !listed.every(isTool)) {
      throw new WireError('INVALID_RESULT', 'The result of tools/list is not a list of tools.')
    }
    tools.push(...takeListed(requests.listedHeaders, listed))
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') return tools
  }
  throw new WireError('INVALID_RESULT', `The result of tools/list has more than ${MAX_PAGES} pages.`)
}

function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && typeof value['name'] === 'string' && isJsonObject(value['inputSchema'])
}
