import { isJsonObject, isTooDeep, type JsonObject } from './json.js'

/** The server asks the user to fill in a form. */
export interface ElicitFormRequest {
  method: 'elicitation/create'
  params: { mode?: 'form'; message: string; requestedSchema: JsonObject; _meta?: JsonObject }
}

/** The server asks the user to visit a page. */
export interface ElicitUrlRequest {
  method: 'elicitation/create'
  params: { mode: 'url'; message: string; url: string; elicitationId?: string; _meta?: JsonObject }
}

/** The server asks for a completion by the client's model. */
export interface SamplingRequest {
  method: 'sampling/createMessage'
  params: JsonObject & { messages: unknown[] }
}

/** The server asks for the client's roots. */
export interface ListRootsRequest {
  method: 'roots/list'
  params?: JsonObject
}

/**
 * A running task's request for input, one entry of `inputRequests` (SEP-2663, "Task Update Requests"). Its texts come from
 * the server: render them as text, never as markup.
 */
export type InputRequest = ElicitFormRequest | ElicitUrlRequest | SamplingRequest | ListRootsRequest

/** How many input requests are open at once. Others of the server have their turn when one of them is answered. */
export const MAX_OPEN_INPUT_REQUESTS = 256

/** How long the key of an input request may be: those that were answered are recorded. */
const MAX_KEY_LENGTH = 256

/** True for keys of input requests that fit a record. */
export function isInputKey(key: unknown): key is string {
  return typeof key === 'string' && JSON.stringify(key).length <= MAX_KEY_LENGTH
}

/** The response to an {@link InputRequest}, in the shape of the result that the specification defines for that request. */
export type InputResponse = JsonObject

/** The request if it has a shape that this version knows, else the name of what is wrong with it. */
export function parseInputRequest(value: unknown): { request: InputRequest } | { problem: string } {
  if (!isJsonObject(value)) return { problem: 'is not an object' }
  if (isTooDeep(value)) return { problem: 'is nested too deep' }
  const { method, params } = value
  if (method === 'roots/list') {
    if (params === undefined) return { request: { method } }
    return isJsonObject(params) ? { request: { method, params } } : { problem: 'has params that are not an object' }
  }
  if (!isJsonObject(params)) return { problem: 'has no params' }
  if (method === 'sampling/createMessage') {
    const { messages } = params
    return Array.isArray(messages)
      ? { request: { method, params: { ...params, messages } } }
      : { problem: 'has no messages' }
  }
  if (method === 'elicitation/create') return parseElicitation(params)
  return { problem: 'has a method that no client answers' }
}

function parseElicitation(params: JsonObject): { request: InputRequest } | { problem: string } {
  const { mode, message, url, requestedSchema } = params
  const method = 'elicitation/create'
  if (typeof message !== 'string') return { problem: 'has no message' }
  if (mode === 'url') {
    return typeof url === 'string' && isWebUrl(url)
      ? { request: { method, params: { ...params, mode, message, url } } }
      : { problem: 'has no http(s) url' }
  }
  if (mode !== undefined && mode !== 'form') return { problem: 'has a mode that this version does not know' }
  if (!isJsonObject(requestedSchema)) return { problem: 'has no requestedSchema' }
  const { mode: _, ...rest } = params
  return { request: { method, params: { ...rest, mode: 'form', message, requestedSchema } } }
}

/** Only valid URLs of http and https: `javascript:` and its kin must never reach a link. */
function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}
