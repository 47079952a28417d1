import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server'
import { TaskStorageError } from '../../core/protocol/errors.js'
import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'
import type { Exchange } from '../http/exchange.js'
import { requestParams } from '../http/requestParams.js'

/** A `tools/call` as it came, for another process to run. */
export interface KeptCall {
  readonly body: JsonObject
  /** Those of MCP: they are compared with the body. */
  readonly headers: Record<string, string>
  readonly authInfo: AuthInfo | undefined
}

/** The call of an exchange as a text. Of `authInfo`, the token is left out: it is good for more than this call. */
export function callRecord(exchange: Exchange): string {
  const { authInfo } = exchange
  return JSON.stringify({
    ...(exchange.isLegacy ? modernCall(exchange) : callAsItCame(exchange)),
    ...(authInfo !== undefined && { authInfo: { ...authInfo, token: '' } }),
  })
}

type CallParts = Pick<KeptCall, 'headers'> & { readonly params: JsonObject }

function callAsItCame({ body, request }: Exchange): CallParts {
  const headers = Object.fromEntries([...request.headers].filter(([name]) => name.startsWith('mcp-')))
  return { params: requestParams(body), headers }
}

const REVISION = '2026-07-28'

/** A call of an earlier revision, as the present one would make it: its answer goes to no client, so it must not be a stream. */
function modernCall({ body, capabilities }: Exchange): CallParts {
  const params = requestParams(body)
  const { name, _meta } = params
  const envelope = {
    [PROTOCOL_VERSION_META_KEY]: REVISION,
    [CLIENT_INFO_META_KEY]: { name: 'unknown', version: '0' },
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
  }
  return {
    params: { ...params, _meta: { ...(isJsonObject(_meta) ? _meta : {}), ...envelope } },
    headers: { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': String(name) },
  }
}

/**
 * The call that was kept.
 *
 * @throws {TaskStorageError} if the text is another.
 */
export function parseCallRecord(text: string): KeptCall {
  const kept: unknown = JSON.parse(text)
  if (!isJsonObject(kept) || !isJsonObject(kept['params']) || !isJsonObject(kept['headers'])) {
    throw new TaskStorageError('Failed to run a job: the store returned another call than the one it was given.')
  }
  const { params, headers, authInfo } = kept
  return {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    authInfo: isJsonObject(authInfo) ? reviveAuthInfo(authInfo) : undefined,
  }
}

function reviveAuthInfo({ clientId, scopes, expiresAt, resource, resourceMetadataUrl, extra }: JsonObject): AuthInfo {
  return {
    token: '',
    clientId: String(clientId),
    scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    ...(typeof expiresAt === 'number' && { expiresAt }),
    ...(typeof resource === 'string' && { resource: new URL(resource) }),
    ...(typeof resourceMetadataUrl === 'string' && { resourceMetadataUrl }),
    ...(isJsonObject(extra) && { extra }),
  }
}
