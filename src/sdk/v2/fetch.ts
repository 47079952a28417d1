import type { FetchLike } from '@modelcontextprotocol/client'
import { isJsonObject, type JsonObject, parseJson } from '../../core/protocol/json.js'
import { httpMessage, requestMethod } from '../../core/wire/httpMessage.js'
import { SdkError, SdkErrorCode } from '../sdk.js'

/** The status of what is accepted and not answered. The SDK looks at nothing else then. */
const ACCEPTED = 202

/**
 * Makes a `tools/call` fail whose HTTP exchange is over and brought no response to it: a 202, whatever comes with it, JSON
 * under another id, or a message that is no response. The SDK would wait for its timeout, which a task does not have. A
 * stream is left alone; its transport says when it ends.
 */
export function answeredFetch(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (!response.ok || requestMethod(init) !== 'tools/call') return response
    const isAccepted = response.status === ACCEPTED
    const isStream = response.headers.get('content-type')?.includes('text/event-stream')
    if (isStream && !isAccepted && response.body !== null) return response
    if (isAccepted) await response.body?.cancel()
    const text = isAccepted ? '' : await response.text()
    const { id } = httpMessage(init?.body)
    const isResponse = (message: JsonObject) => message['id'] === id && ('result' in message || 'error' in message)
    if (![parseJson(text)].flat().filter(isJsonObject).some(isResponse)) {
      throw new SdkError(
        SdkErrorCode.ClientHttpUnexpectedContent,
        'The response to tools/call is not about the request.',
      )
    }
    const { status, statusText, headers } = response
    return new Response(text, { status, statusText, headers })
  }
}
