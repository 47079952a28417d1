import type { Environment } from '../environment/environment.js'
import { inDevelopment } from '../environment/inDevelopment.js'
import { TaskConfigurationError } from '../protocol/errors.js'
import { hash } from '../record/hash.js'

/** Stands for the page if there is no page, to recognize a relative URL. */
const NO_PAGE = 'http://page.invalid'

/** A server that is given by its URL. */
export interface Endpoint {
  /** Names it to people. */
  readonly place: string
  /** Names it to storage and tabs. */
  readonly key: string
  /**
   * The URL to connect to.
   *
   * @throws {TaskConfigurationError} if it is relative and there still is no page.
   */
  url(): URL
}

/**
 * The server with this URL.
 *
 * @throws {TaskConfigurationError} if it is not an http(s) URL, or has a user name or a password.
 */
export function endpointOf(given: string | URL, { baseUrl }: Pick<Environment, 'baseUrl'>): Endpoint {
  const url = parseUrl(given, baseUrl())
  if (url === undefined) return { place: String(given), key: String(given), url: () => resolveUrl(given, baseUrl()) }
  const place = url.origin + withoutSecrets(url.pathname, () => '…')
  // A path and a query may hold a token, which has no business in a storage.
  const path = withoutSecrets(url.pathname, hash)
  const query = url.search === '' ? '' : `?${hash(url.search)}`
  return { place, key: url.origin + path + query, url: () => url }
}

/** Not the URL, whose password it would show. */
const CREDENTIALS =
  'createTaskClient got a url with a user name or a password, which fetch refuses. Pass them in headers.'

/** Undefined for a URL that is relative where there is no page to resolve it against, as on a server. */
function parseUrl(url: string | URL, base: string | undefined): URL | undefined {
  let parsed: URL | undefined
  try {
    parsed = new URL(url, base ?? NO_PAGE)
  } catch {
    // Said below.
  }
  if (parsed?.origin === NO_PAGE) return undefined
  if (parsed?.username || parsed?.password) throw new TaskConfigurationError(CREDENTIALS)
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed
  throw new TaskConfigurationError(
    `createTaskClient got the url ${JSON.stringify(String(url))}, which is not an http(s) URL.${inDevelopment ? ' Pass the URL of the MCP endpoint.' : ''}`,
  )
}

function resolveUrl(url: string | URL, base: string | undefined): URL {
  const resolved = parseUrl(url, base)
  if (resolved !== undefined) return resolved
  throw new TaskConfigurationError(
    `Failed to connect: the url ${JSON.stringify(url)} is relative${inDevelopment ? ', and there is no page to resolve it against, as on a server. Pass the whole URL.' : '.'}`,
  )
}

/** Words, such as `mcp`, `v1` and `tool_calls`. Services that give each user an URL of their own put a key or a UUID into its path. */
const WORDS = /^(?=.{0,24}$)[a-z]*([-_.][a-z]+)*\d{0,2}$/i

/** A path whose segments are shown if they are words, and otherwise replaced: one of them may be a secret. */
export function withoutSecrets(path: string, replace: (segment: string) => string): string {
  return path
    .split('/')
    .map((segment) => (WORDS.test(segment) ? segment : replace(segment)))
    .join('/')
}
