import { clientCapabilities } from '../../core/client/clientCapabilities.js'
import {
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  PROTOCOL_VERSION_META,
  TASKS_EXTENSION,
} from '../../core/protocol/extension.js'
import type { JsonObject } from '../../core/protocol/json.js'
import { VERSION } from '../../core/protocol/version.js'

export const MODERN_REVISION = '2026-07-28'
export const LEGACY_REVISION = '2025-11-25'

/** The id of every request: each goes out alone. */
const REQUEST_ID = 1

const CLIENT_INFO = { name: 'taskwire-doctor', version: VERSION }

/** What a page declares. Without `elicitation`, a tool that asks for input would fail instead. */
const CAPABILITIES = { ...clientCapabilities({}, undefined), extensions: { [TASKS_EXTENSION]: {} } }

const COMMON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'tasks/get': 'taskId',
  'tasks/cancel': 'taskId',
}

/** A request as `fetch` takes it. */
export interface Message {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request of 2026-07-28, as the official client sends it. */
export function modernMessage(method: string, params: JsonObject = {}): Message {
  const name = params[NAMES[method] ?? '']
  const _meta = {
    [PROTOCOL_VERSION_META]: MODERN_REVISION,
    [CLIENT_INFO_META]: CLIENT_INFO,
    [CLIENT_CAPABILITIES_META]: CAPABILITIES,
  }
  const headers = {
    ...COMMON_HEADERS,
    'mcp-protocol-version': MODERN_REVISION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
  return post(headers, { jsonrpc: '2.0', id: REQUEST_ID, method, params: { ...params, _meta } })
}

/** The first request to a server of 2025-11-25. */
export function initializeMessage(): Message {
  const params = { protocolVersion: LEGACY_REVISION, capabilities: {}, clientInfo: CLIENT_INFO }
  return post(COMMON_HEADERS, { jsonrpc: '2.0', id: REQUEST_ID, method: 'initialize', params })
}

/** A later request to such a server; a notification where it begins so. */
export function legacyMessage(method: string, params: JsonObject, sessionHeaders: Record<string, string>): Message {
  const id = method.startsWith('notifications/') ? {} : { id: REQUEST_ID }
  return post({ ...COMMON_HEADERS, ...sessionHeaders }, { jsonrpc: '2.0', ...id, method, params })
}

/** A request that every server has to refuse. */
export function brokenMessage(): Message {
  return { ...post({ ...COMMON_HEADERS }, {}), body: 'This is not JSON.' }
}

function post(headers: Record<string, string>, body: JsonObject): Message {
  return { method: 'POST', headers, body: JSON.stringify(body) }
}
