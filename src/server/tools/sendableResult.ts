import { type CallToolResult, INTERNAL_ERROR, isInputRequiredResult, ProtocolError } from '@modelcontextprotocol/server'
import { TaskConfigurationError } from '../../core/protocol/errors.js'

/** How large a result may be. */
export interface ResultLimits {
  readonly maxResultSize: number
}

/**
 * The result of a handler, if it can be sent.
 *
 * @throws {TaskConfigurationError} if it is no result or not JSON, a `ProtocolError` if it is too large.
 */
export function checked(result: CallToolResult, limits: ResultLimits): CallToolResult {
  if (isInputRequiredResult(result)) {
    throw new TaskConfigurationError(
      'Failed to end a tool call: its handler returned inputRequired(). ' +
        'Return that from `prepare`, or ask with context.elicit().',
    )
  }
  return sendable(result, limits)
}

/** The SDK would fail to send what is not JSON, and the call would never end. */
export function sendable<T>(result: T, { maxResultSize }: ResultLimits): T {
  const json = toText(result)
  if (json === undefined) {
    throw new TaskConfigurationError('Failed to end a tool call: its result is not JSON. Return plain data only.')
  }
  // A character has three bytes at most.
  if (json.length * 3 > maxResultSize && sizeOf(json) > maxResultSize) throw tooLarge(sizeOf(json), maxResultSize)
  return result
}

/** The errors that were made here: the developer of the server has to see them, too. */
const madeHere = new WeakSet<object>()

/** True if an error says that a result is too large to be sent. */
export function isResultTooLarge(error: unknown): boolean {
  return madeHere.has(Object(error))
}

function tooLarge(bytes: number, limit: number): ProtocolError {
  const error = new ProtocolError(
    INTERNAL_ERROR,
    `The result of the tool has ${bytes} bytes, and the server sends ${limit} at most.`,
  )
  madeHere.add(error)
  return error
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).byteLength
}

function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
