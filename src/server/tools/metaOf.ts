import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import { requestParams } from '../http/requestParams.js'

/** Keys that MCP reserves: those whose prefix has `modelcontextprotocol` or `mcp` as its second label, and the progress token. */
const RESERVED = /^(?:[\w-]+\.)(?:modelcontextprotocol|mcp)(?:\.[\w.-]*)?\/|^progressToken$/
/** Those of this package. */
const OWN = 'dev.taskwire/'

/** What a client has put into `_meta` of a request for the tool, not for the protocol (MCP 2026-07-28, "General fields: _meta"). */
export function metaOf(body: unknown): JsonObject {
  const { _meta } = requestParams(body)
  const entries = Object.entries(isJsonObject(_meta) ? _meta : {})
  return Object.fromEntries(entries.filter(([key]) => !RESERVED.test(key) && !key.startsWith(OWN)))
}
