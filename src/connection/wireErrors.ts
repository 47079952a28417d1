import { isJsonObject, type JsonObject } from '../protocol/json.js'

// What comes of a request that brings no result. The SDK client and the connection of taskwire/lite say it in the same
// members; each is known by these, so that nobody who reads them needs the SDK.

/** Why a request failed, where it was no response of the server. The names are those of the SDK's `SdkErrorCode`. */
export const WIRE_CODES = {
  notConnected: 'NOT_CONNECTED',
  connectionClosed: 'CONNECTION_CLOSED',
  requestTimeout: 'REQUEST_TIMEOUT',
  unexpectedContent: 'CLIENT_HTTP_UNEXPECTED_CONTENT',
  authentication: 'CLIENT_HTTP_AUTHENTICATION',
  capabilityNotSupported: 'CAPABILITY_NOT_SUPPORTED',
  invalidResult: 'INVALID_RESULT',
  unsupportedResultType: 'UNSUPPORTED_RESULT_TYPE',
  roundsExceeded: 'INPUT_REQUIRED_ROUNDS_EXCEEDED',
} as const

export type WireCode = (typeof WIRE_CODES)[keyof typeof WIRE_CODES]

/** A request that failed on this side of the wire, or on the way. */
export class WireError extends Error {
  override readonly name: string = 'WireError'
  readonly code: WireCode

  constructor(code: WireCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A response with an HTTP status that is none of success, or a redirect that was not followed. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly data: { readonly status: number; readonly text: string }

  constructor(status: number, text: string, reason: string = text) {
    super(`The server answered HTTP ${status}: ${reason}`)
    this.status = status
    this.data = { status, text }
  }
}

/** A JSON-RPC error of the server. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** True for a response with an HTTP status that is none of success: an `SdkHttpError`, or an {@link HttpError}. */
export function isHttpError(error: unknown): error is Error & { code?: unknown; status: number; data: JsonObject } {
  if (!(error instanceof Error)) return false
  const { status, data } = error as { status?: unknown; data?: unknown }
  return (
    (error.name === 'SdkHttpError' || error instanceof HttpError) && typeof status === 'number' && isJsonObject(data)
  )
}

/** True for a JSON-RPC error of the server: a `ProtocolError`, or an {@link RpcError}. */
export function isRpcError(error: unknown): error is Error & { code: number; data: unknown } {
  return error instanceof Error && (error.name === 'ProtocolError' || error instanceof RpcError)
}

/** True for an `SdkError`, or a {@link WireError}, with one of these codes. */
export function hasWireCode(error: unknown, codes: ReadonlySet<WireCode>): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return (/^Sdk(Http)?Error$/.test(error.name) || error instanceof WireError) && codes.has(code as WireCode)
}

/** True where the SDK has tried to sign in, to no avail: an `UnauthorizedError`. */
export function isUnauthorizedError(error: unknown): boolean {
  return error instanceof Error && error.name === 'UnauthorizedError'
}
