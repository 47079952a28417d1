import { TaskRequestError } from '../protocol/errors.js'

/** Headers, or a function that is asked for them with every request. */
export type HeadersOption = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

/**
 * The headers of the app for one request.
 *
 * @throws {TaskRequestError} of kind `auth` where its function fails.
 */
export async function headersOf(headers: HeadersOption | undefined): Promise<HeadersInit | undefined> {
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
