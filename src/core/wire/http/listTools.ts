import { isJsonObject, isTooDeep, type JsonObject } from '../../protocol/json.js'
import type { Tool } from '../../protocol/tool.js'
import { WireError } from '../wireErrors.js'
import type { LiteRequests } from './liteRequests.js'
import { takeListed } from './toolHeaders.js'

/** How many pages are read: a server whose list has no end must not keep the page busy. */
const MAX_PAGES = 64

/**
 * `tools/list`, every page of it (MCP 2026-07-28, "Pagination"). None where the server says that it has no tools. A page that
 * repeats the one before, with its cursor, is the last, as for the SDK: some servers never leave the cursor out.
 */
export async function listTools(requests: LiteRequests, capabilities: JsonObject): Promise<Tool[]> {
  if (capabilities['tools'] === undefined) return []
  const tools: Tool[] = []
  let cursor: unknown
  let before = ''
  for (let read = 0; read < MAX_PAGES; read++) {
    const result = await requests.requestInTime('tools/list', cursor === undefined ? {} : { cursor })
    const listed = result['tools']
    if (isTooDeep(result) || !Array.isArray(listed) || !listed.every(isTool)) {
      throw new WireError('INVALID_RESULT', 'The result of tools/list is not a list of tools.')
    }
    const { nextCursor } = result
    const page = JSON.stringify(listed)
    if (typeof nextCursor === 'string' && nextCursor === cursor && page === before) return tools
    tools.push(...takeListed(requests.listedHeaders, listed))
    if (typeof nextCursor !== 'string') return tools
    cursor = nextCursor
    before = page
  }
  throw new WireError('INVALID_RESULT', `The result of tools/list has more than ${MAX_PAGES} pages.`)
}

function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && typeof value['name'] === 'string' && isJsonObject(value['inputSchema'])
}
