import { isJsonObject, type JsonObject } from './json.js'

/** Identifier of the Tasks extension (SEP-2663, "Extension Identifier"). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/**
 * Of servers that answer a repeated `tools/call` with what became of the first one. As its value they say how long they
 * remember a call (`keyTtlMs`, in ms; absent where they set no limit).
 */
export const IDEMPOTENT_CALLS_EXTENSION = 'dev.taskwire/idempotent-calls'

/** `_meta` key of the key that is the same for every repetition of a `tools/call`. */
export const IDEMPOTENCY_KEY_META = 'dev.taskwire/idempotencyKey'

/** `reason` in the data of the -32602 for a key that came with another call before. */
export const IDEMPOTENCY_CONFLICT = 'idempotency-key-of-another-call'

/** Reserved `_meta` keys of the 2026-07-28 request envelope. */
export const PROTOCOL_VERSION_META = 'io.modelcontextprotocol/protocolVersion'
export const CLIENT_INFO_META = 'io.modelcontextprotocol/clientInfo'
export const CLIENT_CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities'

/** Who has answered, in the `_meta` of a result. */
export const SERVER_INFO_META = 'io.modelcontextprotocol/serverInfo'

/** Names the stream that a notification came on. */
export const SUBSCRIPTION_ID_META = 'io.modelcontextprotocol/subscriptionId'

/** The JSON-RPC error of a server that does not speak the version of a request. */
export const UNSUPPORTED_VERSION = -32022

/** JSON-RPC error codes that have a meaning of their own for tasks (SEP-2663, "Protocol Errors"). */
export const INVALID_PARAMS = -32602
export const METHOD_NOT_FOUND = -32601
export const MISSING_CLIENT_CAPABILITY = -32021

/** The JSON-RPC error of a server that finds a header missing, or another one than the body says (MCP 2026-07-28, "Streamable HTTP"). */
export const HEADER_MISMATCH = -32020

/** True where a request's `_meta` carries the 2026-07-28 envelope. */
export function hasEnvelope(meta: unknown): meta is JsonObject {
  return isJsonObject(meta) && typeof meta[PROTOCOL_VERSION_META] === 'string'
}

/** How long a server with these capabilities remembers the key of a `tools/call`, in ms; 0 where it takes none. */
export function keyTtlMs(capabilities: unknown): number {
  const extensions = isJsonObject(capabilities) ? capabilities['extensions'] : undefined
  const extension = isJsonObject(extensions) ? extensions[IDEMPOTENT_CALLS_EXTENSION] : undefined
  if (!isJsonObject(extension)) return 0
  const { keyTtlMs: ttlMs } = extension
  return typeof ttlMs === 'number' ? Math.max(0, ttlMs) : Number.POSITIVE_INFINITY
}

/** True for the data of the refusal of a key that came with another call before. */
export function isIdempotencyConflict(data: unknown): boolean {
  return isJsonObject(data) && data['reason'] === IDEMPOTENCY_CONFLICT
}

/** True where capabilities, a client's or a server's, name the Tasks extension. */
export function supportsTasks(capabilities: unknown): boolean {
  if (!isJsonObject(capabilities) || !isJsonObject(capabilities['extensions'])) return false
  return isJsonObject(capabilities['extensions'][TASKS_EXTENSION])
}

/**
 * The same envelope with the Tasks extension declared in its client capabilities, in the nested
 * form (SEP-2663, "Capability Negotiation"). An envelope that declares it already is returned as it is.
 */
export function declareTasks(meta: JsonObject): JsonObject {
  const capabilities = meta[CLIENT_CAPABILITIES_META]
  if (supportsTasks(capabilities)) return meta
  const declared = isJsonObject(capabilities) ? capabilities : {}
  const extensions = isJsonObject(declared['extensions']) ? declared['extensions'] : {}
  return {
    ...meta,
    [CLIENT_CAPABILITIES_META]: { ...declared, extensions: { ...extensions, [TASKS_EXTENSION]: {} } },
  }
}
