import { TaskRequestError } from '../protocol/errors.js'
import { type LimitOptions, withLimit } from '../time/withLimit.js'
import { WireError } from './wireErrors.js'

/** Headers, or a function that returns them for every request. */
export type HeadersOption = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

/** How long that function may take, in ms: less than a poll may, so that the poll fails with why it was not sent. */
const LIMIT_MS = 20_000

/**
 * The headers of the app for one request.
 *
 * @throws {TaskRequestError} of kind `auth` where its function fails or takes too long, or one of them cannot be sent; the signal's
 * reason.
 */
export async function headersOf(
  headers: HeadersOption | undefined,
  environment: LimitOptions['environment'],
  signal: LimitOptions['signal'],
): Promise<Headers> {
  if (typeof headers !== 'function') return toHeaders(headers)
  // The cause says that it may pass: connecting is repeated.
  const late = () =>
    unsent(
      `${FUNCTION} did not answer within ${LIMIT_MS / 1000} s, so nothing was sent.`,
      new WireError('REQUEST_TIMEOUT', 'Request timed out'),
    )
  const given = await withLimit({ environment, ms: LIMIT_MS, late, signal }, async () => {
    try {
      return await headers()
    } catch (cause) {
      throw unsent(`${FUNCTION} failed, so nothing was sent. See the cause.`, cause)
    }
  })
  return toHeaders(given)
}

const FUNCTION = 'The headers function of createTaskClient'

function unsent(message: string, cause?: unknown): TaskRequestError {
  return new TaskRequestError(message, { kind: 'auth', cause })
}

/**
 * The same headers, each of which can be sent. Without types, an app that has no token yet may say null.
 *
 * @throws {TaskRequestError} that names the first which cannot. What `Headers` throws holds the value, which may be a token.
 */
export function toHeaders(given?: HeadersInit | null): Headers {
  const headers = new Headers()
  const all = given ?? {}
  if (typeof all !== 'object') throw unsent('The headers are not an object, so nothing was sent.')
  for (const [name = '', value = ''] of Symbol.iterator in all ? all : Object.entries(all)) {
    try {
      headers.append(name, value)
    } catch {
      throw unsent(
        `The header ${JSON.stringify(name)} cannot be sent, so nothing was: its value has a line break, or a character that no header may hold.`,
      )
    }
  }
  return headers
}
