import { inDevelopment } from '../../environment/inDevelopment.js'
import { ConnectionFailedError } from '../../protocol/errors.js'
import { SERVER_INFO_META, UNSUPPORTED_VERSION } from '../../protocol/extension.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { READ_MORE } from '../../protocol/readMore.js'
import { connectionError, isPassingFailure, jsonRpcError } from '../errors.js'
import { isOfRevision } from '../retryAfter.js'
import { needsCredentials } from '../signInErrors.js'
import { WireError } from '../wireErrors.js'
import type { LiteRequests } from './liteRequests.js'
import { PROTOCOL_VERSION } from './mcpHeaders.js'

/** What a server says about itself. */
export interface DiscoveredServer {
  readonly capabilities: JsonObject
  readonly server: { readonly name: string; readonly version: string } | undefined
}

/**
 * `server/discover` (MCP 2026-07-28, "Discovery").
 *
 * @throws {ConnectionFailedError} that names `taskwire` where the server seems to speak earlier revisions only; else as
 * the request.
 */
export async function discover(requests: LiteRequests, url: string, signal?: AbortSignal): Promise<DiscoveredServer> {
  const ask = () => requests.requestInTime('server/discover', {}, signal)
  const again = (error: unknown) => (namesOurVersion(error) ? ask() : Promise.reject(error))
  const result = await ask()
    .catch(again)
    .catch((error: unknown) => {
      const rpc = jsonRpcError(error)
      const isRefusal = !isPassingFailure(error) && !needsCredentials(error) && rpc && !isOfRevision(rpc.code)
      throw isRefusal ? earlierRevisionError(connectionError(error, url).message, error) : error
    })
  const { supportedVersions: versions, capabilities, _meta: meta } = result
  if (!Array.isArray(versions)) throw new WireError('INVALID_RESULT', 'server/discover names no versions.')
  if (!versions.includes(PROTOCOL_VERSION)) {
    throw earlierRevisionError(
      `Failed to connect to an MCP server at ${url}: it does not speak MCP ${PROTOCOL_VERSION}.`,
    )
  }
  const info = isJsonObject(meta) ? meta[SERVER_INFO_META] : undefined
  const { name, version } = isJsonObject(info) ? info : {}
  return {
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    server: typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined,
  }
}

/** True where a server refuses the version of the request, and names the same one: it is to be asked once more. */
function namesOurVersion(error: unknown): boolean {
  const { code, data } = jsonRpcError(error) ?? {}
  const supported = isJsonObject(data) ? data['supported'] : undefined
  return code === UNSUPPORTED_VERSION && Array.isArray(supported) && supported.includes(PROTOCOL_VERSION)
}

function earlierRevisionError(problem: string, cause?: unknown): ConnectionFailedError {
  return new ConnectionFailedError(
    `${problem} ${
      inDevelopment
        ? `taskwire/lite needs MCP ${PROTOCOL_VERSION}. For an older server, ` +
          "import { createTaskClient } from 'taskwire', which speaks 2025-11-25 as well."
        : READ_MORE
    }`,
    { cause },
  )
}
