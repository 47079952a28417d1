import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
} from '@modelcontextprotocol/server'
import { TASKS_EXTENSION } from '../../core/protocol/extension.js'
import { isJsonObject } from '../../core/protocol/json.js'

/** What the client declared in a request with these params, which the SDK has checked. */
export function capabilitiesIn(params: unknown): ClientCapabilities {
  if (!isJsonObject(params) || !isJsonObject(params['_meta'])) return {}
  // Checked by the SDK along with the rest of the envelope.
  return (params['_meta'][CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities
}

/** The -32021 for clients that did not declare the extension (SEP-2663, "Capability Negotiation"). */
export function missingTasksCapability(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    `Missing required client capability: declare the extension ${TASKS_EXTENSION} in this request's client capabilities.`,
  )
}
