import { ProtocolError } from '@modelcontextprotocol/server'
import { LIMIT_REACHED } from '../base/errorCodes.js'

/** The errors that were made here: a tool may throw the same code for reasons of its own. */
const refusals = new WeakSet<object>()

/** A request is refused because the server has as much to do as its options allow. */
export function limitReached(message: string): ProtocolError {
  const error = new ProtocolError(LIMIT_REACHED, message)
  refusals.add(error)
  return error
}

/** True if an error is of {@link limitReached}. */
export function isLimitReached(error: unknown): boolean {
  return refusals.has(Object(error))
}
