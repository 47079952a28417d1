import { HttpError, RpcError, WireError } from '../../core/wire/wireErrors.js'

/** Codes that SDK v1 gives to what went wrong on this side of the wire. */
const CONNECTION_CLOSED = -32000
const REQUEST_TIMEOUT = -32001

/** SDK v1 has tried to sign in, and the server asks for credentials still. */
class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError'
}

/** What SDK v1 throws, as SDK v2 and `taskwire/lite` would: one place knows what an error means for a task. */
export function fromSdkV1Error(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code, data } = error as { code?: unknown; data?: unknown }
  const options = { cause: error }
  if (error.name === 'McpError' && typeof code === 'number') {
    const message = error.message.replace(`MCP error ${code}: `, '')
    if (code === REQUEST_TIMEOUT) return new WireError('REQUEST_TIMEOUT', message, options)
    if (code === CONNECTION_CLOSED && message === 'Connection closed') {
      return new WireError('CONNECTION_CLOSED', message, options)
    }
    return new RpcError(code, message, data)
  }
  // Neither class has a name of its own.
  if (error.message === 'Unauthorized') return new UnauthorizedError(error.message, options)
  if (error.message.startsWith('Streamable HTTP error: ') && typeof code === 'number' && code > 0) {
    const text = error.message.replace(/^.*?POSTing to endpoint: /, '')
    return Object.assign(new HttpError(code, text), options)
  }
  if (error.message === 'Not connected') return new WireError('NOT_CONNECTED', error.message, options)
  return error
}
