import type { FetchLike } from '@modelcontextprotocol/client'
import type { LimitOptions } from '../../core/time/withLimit.js'
import { type HeadersOption, headersOf } from '../../core/wire/headers.js'
import { headersIn } from '../../core/wire/httpMessage.js'
import { isForMcp } from '../signIn/signIn.js'

/** Adds the headers of the app to what goes to the MCP server, and to no other server. Those of the SDK take precedence. */
export function withHeaders(
  fetch: FetchLike,
  headers: HeadersOption | undefined,
  environment: LimitOptions['environment'],
): FetchLike {
  if (headers === undefined) return fetch
  return async (url, init) => {
    const own = headersIn(init)
    if (!isForMcp(own)) return fetch(url, init)
    const all = await headersOf(headers, environment, init?.signal)
    for (const [name, value] of own) all.set(name, value)
    return fetch(url, { ...init, headers: all })
  }
}
