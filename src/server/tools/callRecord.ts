import type { AuthInfo } from '@modelcontextprotocol/server'
import { TaskStorageError } from '../../protocol/errors.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import type { Exchange } from '../http/exchange.js'
import { requestParams } from '../http/requestParams.js'

/** How calls are kept that another process may have to run. */
export interface CallSealing {
  seal?(text: string): string | Promise<string>
  open?(sealed: string): string | Promise<string>
}

/** A `tools/call` as it came, for another process to run. */
export interface KeptCall {
  readonly body: JsonObject
  /** Those of MCP: they are compared with the body. */
  readonly headers: Record<string, string>
  readonly authInfo: AuthInfo | undefined
}

/** The call of an exchange, sealed. Of `authInfo`, the token is left out: it is good for more than this call. */
export async function sealCall({ body, request, authInfo }: Exchange, { seal }: CallSealing): Promise<string> {
  const headers = Object.fromEntries([...request.headers].filter(([name]) => name.startsWith('mcp-')))
  const text = JSON.stringify({
    params: requestParams(body),
    headers,
    ...(authInfo !== undefined && { authInfo: { ...authInfo, token: '' } }),
  })
  return (await seal?.(text)) ?? text
}

/**
 * The call that was sealed.
 *
 * @throws {TaskStorageError} where `open` does not give back what `seal` was given.
 */
export async function openCall(sealed: string, { open }: CallSealing): Promise<KeptCall> {
  const kept: unknown = JSON.parse((await open?.(sealed)) ?? sealed)
  if (!isJsonObject(kept) || !isJsonObject(kept['params']) || !isJsonObject(kept['headers'])) {
    throw new TaskStorageError('Failed to open a call: this is not what was sealed. Pass the `open` that fits `seal`.')
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
