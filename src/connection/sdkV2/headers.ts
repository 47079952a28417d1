import type { FetchLike } from '@modelcontextprotocol/client'
import { TaskRequestError } from '../../protocol/errors.js'
import { isForMcp } from '../signIn.js'

/** Headers, or a function that is asked for them with every request. */
export type HeadersOption = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

/** Adds the headers of the app to what goes to the MCP server, and to nobody else. Those of the SDK count more. */
export function withHeaders(fetch: FetchLike, headers: HeadersOption | undefined): FetchLike {
  if (headers === undefined) return fetch
  return async (url, init) => {
    const own = new Headers(init?.headers)
    if (!isForMcp(own)) return fetch(url, init)
    const all = new Headers(await given(headers))
    for (const [name, value] of own) all.set(name, value)
    return fetch(url, { ...init, headers: all })
  }
}

async function given(headers: HeadersOption): Promise<HeadersInit> {
  if (typeof headers !== 'function') return headers
  try {
    return await headers()
  } catch (cause) {
    throw new TaskRequestError('The headers function of createTaskClient failed, so nothing was sent. See the cause.', {
      kind: 'auth',
      cause,
    })
  }
}
