import { isLegacyRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { isJsonObject } from '../../core/protocol/json.js'
import { requestParams } from './requestParams.js'

/**
 * True where the SDK serves a request as one of a revision before 2026-07-28. A request that names a revision in its envelope is
 * none of those, and the SDK classifies it again anyway: for such a one, it is not asked, which takes a twentieth of a call.
 */
export async function isLegacyBody(request: Request, body: unknown): Promise<boolean> {
  return !namesRevision(body) && isLegacyRequest(request, body)
}

function namesRevision(body: unknown): boolean {
  if (!isJsonObject(body) || body['method'] === 'initialize' || 'result' in body || 'error' in body) return false
  const { _meta } = requestParams(body)
  return isJsonObject(_meta) && PROTOCOL_VERSION_META_KEY in _meta
}
