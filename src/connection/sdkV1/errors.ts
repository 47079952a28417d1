import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '../sdk.js'

/** Codes that SDK v1 gives to what went wrong on this side of the wire. */
const CONNECTION_CLOSED = -32000
const REQUEST_TIMEOUT = -32001

/** What SDK v1 throws, as SDK v2 would: one place knows what an error means for a task. */
export function fromSdkV1Error(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code, data } = error as { code?: unknown; data?: unknown }
  if (error.name === 'McpError' && typeof code === 'number') {
    const message = error.message.replace(`MCP error ${code}: `, '')
    if (code === REQUEST_TIMEOUT) return new SdkError(SdkErrorCode.RequestTimeout, message, undefined, { cause: error })
    if (code === CONNECTION_CLOSED && message === 'Connection closed') {
      return new SdkError(SdkErrorCode.ConnectionClosed, message, undefined, { cause: error })
    }
    return ProtocolError.fromError(code, message, data)
  }
  // Neither class has a name of its own.
  if (error.message === 'Unauthorized') return new UnauthorizedError()
  if (error.message.startsWith('Streamable HTTP error: ') && typeof code === 'number' && code > 0) {
    const text = error.message.replace(/^.*?POSTing to endpoint: /, '')
    const details = { status: code, text }
    return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, error.message, details, { cause: error })
  }
  if (error.message === 'Not connected') return new SdkError(SdkErrorCode.NotConnected, error.message)
  return error
}
