import { isJsonObject, type JsonObject } from '../../core/protocol/json.js'

/** The params of a request as they came: the SDK's handlers get what it has left of them. */
export function requestParams(body: unknown): JsonObject {
  return isJsonObject(body) && isJsonObject(body['params']) ? body['params'] : {}
}
