import type { FetchLike } from '@modelcontextprotocol/client'
import type { Environment } from '../../core/environment/environment.js'

/** The timers by which an authorization server is given up. */
export type AskingEnvironment = Pick<Environment, 'setTimeout' | 'clearTimeout'>

/**
 * How long an authorization server may take for a response, in ms. Tabs that share tokens wait for each other, and a poll is
 * given up after 30 s.
 */
const LIMIT_MS = 20_000

/**
 * Asks an authorization server. Resolves when the whole response is there: tokens must not come after a sign-out that the
 * headers of their response came before.
 *
 * @throws {TypeError} as `fetch`, if it takes too long.
 */
export function askAuthorizationServer(
  fetch: FetchLike,
  url: string | URL,
  init: RequestInit | undefined,
  { setTimeout, clearTimeout }: AskingEnvironment,
): Promise<Response> {
  const late = new AbortController()
  async function ask(): Promise<Response> {
    const response = await fetch(url, { signal: late.signal, ...init })
    await response.clone().arrayBuffer()
    return response
  }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new TypeError(`The authorization server did not answer within ${LIMIT_MS / 1000} s`))
      late.abort()
    }, LIMIT_MS)
    ask()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
