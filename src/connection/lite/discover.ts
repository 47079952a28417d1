import { ConnectionFailedError } from '../../protocol/errors.js'
import { SERVER_INFO_META } from '../../protocol/extension.js'
import { isJsonObject, type JsonObject } from '../../protocol/json.js'
import { isPassingFailure, jsonRpcError, needsCredentials } from '../errors.js'
import { said } from '../said.js'
import { WIRE_CODES, WireError } from '../wireErrors.js'
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
export async function discover(requests: LiteRequests, url: string): Promise<DiscoveredServer> {
  const result = await requests.requestInTime('server/discover', {}).catch((error: unknown) => {
    const rpc = isPassingFailure(error) || needsCredentials(error) ? undefined : jsonRpcError(error)
    if (rpc === undefined) throw error
    const { supported } = isJsonObject(rpc.data) ? rpc.data : {}
    const answer = `it answered server/discover with the error ${rpc.code}${said(rpc.message)}`
    throw earlierRevisionError(
      url,
      `${answer}${versionsIn(supported)}. It may speak earlier revisions of MCP alone`,
      error,
    )
  })
  const { supportedVersions: versions, capabilities, _meta: meta } = result
  if (!Array.isArray(versions)) throw new WireError(WIRE_CODES.invalidResult, 'server/discover names no versions.')
  if (!versions.includes(PROTOCOL_VERSION)) {
    throw earlierRevisionError(url, `it does not speak MCP ${PROTOCOL_VERSION}${versionsIn(versions)}`)
  }
  const info = isJsonObject(meta) ? meta[SERVER_INFO_META] : undefined
  const { name, version } = isJsonObject(info) ? info : {}
  return {
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    server: typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined,
  }
}

function earlierRevisionError(url: string, problem: string, cause?: unknown): ConnectionFailedError {
  return new ConnectionFailedError(
    `Failed to connect to an MCP server at ${url}: ${problem}, and taskwire/lite speaks ${PROTOCOL_VERSION} alone. ` +
      "Where the URL is right, import { createTaskClient } from 'taskwire', which speaks 2025-11-25 as well.",
    { cause },
  )
}

function versionsIn(supported: unknown): string {
  const versions = Array.isArray(supported) ? supported.filter((one) => /^[\w.-]{1,20}$/.test(String(one))) : []
  return versions.length === 0 ? '' : ` (it names ${versions.slice(0, 8).join(', ')})`
}
