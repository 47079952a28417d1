import { TaskRequestError } from '../protocol/errors.js'

/** Headers, or a function that returns them for every request. */
export type HeadersOption = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

/**
 * The headers of the app for one request.
 *
 * @throws {TaskRequestError} of kind `auth` where its function fails, or one of them cannot be sent.
 */
export async function headersOf(headers: HeadersOption | undefined): Promise<Headers> {
  if (typeof headers !== 'function') return toHeaders(headers)
  let given: HeadersInit
  try {
    given = await headers()
  } catch (cause) {
    throw new TaskRequestError('The headers function of createTaskClient failed, so nothing was sent. See the cause.', {
      kind: 'auth',
      cause,
    })
  }
  return toHeaders(given)
}

/**
 * The same headers, each of which can be sent.
 *
 * @throws {TaskRequestError} that names the first which cannot. What `Headers` throws holds the value, which may be a token.
 */
export function toHeaders(given: HeadersInit = {}): Headers {
  const headers = new Headers()
  for (const [name = '', value = ''] of Symbol.iterator in given ? given : Object.entries(given)) {
    try {
      headers.append(name, value)
    } catch {
      throw new TaskRequestError(
        `The header ${JSON.stringify(name)} cannot be sent, so nothing was: its value has a line break, or a character that no header may hold.`,
        { kind: 'auth' },
      )
    }
  }
  return headers
}
