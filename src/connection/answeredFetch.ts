import { type FetchLike, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { isJsonObject } from '../protocol/json.js'

/**
 * Makes a `tools/call` fail whose HTTP exchange is over and brought no answer to it: an empty 202, or
 * JSON under another id. The SDK would wait for its timeout, which a task does not have. A stream is
 * left alone; its transport says when it ends.
 */
export function answeredFetch(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.ok || new Headers(init?.headers).get('mcp-method') !== 'tools/call') return response
    if (response.headers.get('content-type')?.includes('text/event-stream')) return response
    const text = await response.text()
    if (idOf(text) !== idOf(init?.body)) {
      throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'The answer to tools/call is not about the request.')
    }
    const { status, statusText, headers } = response
    return new Response(text, { status, statusText, headers })
  }
}

/** The JSON-RPC id of a message, undefined where there is none to be read. */
function idOf(body: unknown): unknown {
  if (typeof body !== 'string') return undefined
  try {
    const message: unknown = JSON.parse(body)
    return isJsonObject(message) ? message['id'] : undefined
  } catch {
    return undefined
  }
}
