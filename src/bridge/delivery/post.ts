import type { Environment } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { abortError, onAbort } from '../../core/time/abort.js'
import { parseRetryAfter } from '../../core/wire/retryAfter.js'
import type { Attempt } from './sending.js'

/** How long a receiver may take to answer, in ms. */
const LIMIT_MS = 20_000

/** The parts of an environment that requests need. */
export type PostEnvironment = Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout' | 'fetch'>

/** The same, or a rejection that says `what` has not happened, where it takes longer than a receiver may take. */
export async function inLimit<T>(
  what: string,
  work: T | Promise<T>,
  { setTimeout, clearTimeout }: Pick<PostEnvironment, 'setTimeout' | 'clearTimeout'>,
  signal: AbortSignal,
): Promise<T> {
  let timer: unknown
  let stop = () => {}
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} within ${LIMIT_MS / 1000} s`)), LIMIT_MS)
    stop = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    stop()
  }
}

/** Sends a message. Never rejects. With a status of `gone`, the receiver says that it is no more. A redirect is not followed: the message is signed or encrypted for one receiver. */
export async function post(
  url: string,
  init: { headers: Record<string, string>; body: string | Uint8Array<ArrayBuffer> },
  gone: readonly number[],
  environment: PostEnvironment,
  signal: AbortSignal,
): Promise<Attempt> {
  const ending = new AbortController()
  const stop = onAbort(signal, () => ending.abort(signal.reason))
  const timer = environment.setTimeout(
    () => ending.abort(abortError(`there was no answer within ${LIMIT_MS / 1000} s`)),
    LIMIT_MS,
  )
  try {
    const { ok, status, headers, body } = await environment.fetch(url, {
      ...init,
      method: 'POST',
      redirect: 'manual',
      signal: ending.signal,
    })
    // A receiver that answers, and then cuts the connection, has answered.
    if (body) ignoreRejection(body.cancel())
    if (ok) return { outcome: 'taken' }
    const error = new Error(status === 0 ? 'it answered with a redirect' : `it answered with HTTP ${status}`)
    if (gone.includes(status)) return { outcome: 'over', error }
    return {
      outcome: 'again',
      error,
      retryAfterMs: parseRetryAfter(headers, environment.now()),
    }
  } catch (thrown) {
    return { outcome: 'again', error: asError(thrown) }
  } finally {
    environment.clearTimeout(timer)
    stop()
  }
}
