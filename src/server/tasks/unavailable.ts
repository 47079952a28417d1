import { ProtocolError } from '@modelcontextprotocol/server'
import { REFUSED } from '../base/errorCodes.js'
import { isUnwritten } from './unwritten.js'

/** The errors that were made here, with what caused them. */
const causes = new WeakMap<object, unknown>()

/** A request is refused because the store or the queue cannot take it right now; its client may send it again. */
export function unavailable(message: string, cause: unknown): ProtocolError {
  const error = new ProtocolError(REFUSED, message)
  causes.set(error, cause)
  return error
}

/** What has caused an error of {@link unavailable}; undefined for any other error. */
export function causeOfUnavailable(error: unknown): { readonly cause: unknown } | undefined {
  const key = Object(error)
  return causes.has(key) ? { cause: causes.get(key) } : undefined
}

/** The message to a client whose task could not be created. It says that the tool was not started, if that is certain. */
export function notCreated(error: unknown, isCertain: boolean): ProtocolError {
  if (error instanceof ProtocolError) return error
  if (isCertain || isUnwritten(error)) {
    return unavailable('The call was not started: the server cannot keep tasks right now. Send it again.', error)
  }
  return unavailable(
    'The server cannot tell right now whether the call was started. Send it again under its idempotency key.',
    error,
  )
}

/** What the store does for a request about a task. Where it fails, the client may send the request again. */
export async function fromStore<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    throw unavailable('The server cannot reach its tasks right now. Send the request again.', error)
  }
}
