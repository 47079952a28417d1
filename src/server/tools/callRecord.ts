import type { AuthInfo } from '@modelcontextprotocol/server'
import { TaskStorageError } from '../../protocol/errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
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
export function callRecord({ body, request, authInfo }: Exchange): string {
  const headers = Object.fromEntries([...request.headers].filter(([name]) => name.startsWith('mcp-')))
  return JSON.stringify({
    params: requestParams(body),
    headers,
    ...(authInfo !== undefined && { authInfo: { ...authInfo, token: '' } }),
  })
}

/**
 * The call that was kept.
 *
 * @throws {TaskStorageError} where the text is another.
 */
export function parseCallRecord(text: string): KeptCall {
  const kept: unknown = JSON.parse(text)
  if (!isJsonObject(kept) || !isJsonObject(kept['params']) || !isJsonObject(kept['headers'])) {
    throw new TaskStorageError('Failed to run a job: the store has given back another call than it was given.')
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
