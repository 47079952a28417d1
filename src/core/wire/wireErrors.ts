import { isJsonObject, type JsonObject } from '../protocol/json.js'

// What comes of a request that brings no result. The SDK client and the connection of taskwire/lite say it in the same
// members; each is known by these, so that their readers do not need the SDK.

/** Why a request failed, where it was no response of the server. The words are those of the SDK's `SdkErrorCode`. */
export type WireCode =
  | 'NOT_CONNECTED'
  | 'CONNECTION_CLOSED'
  | 'REQUEST_TIMEOUT'
  | 'CLIENT_HTTP_UNEXPECTED_CONTENT'
  | 'CLIENT_HTTP_AUTHENTICATION'
  | 'CAPABILITY_NOT_SUPPORTED'
  | 'INVALID_RESULT'
  | 'UNSUPPORTED_RESULT_TYPE'

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

  /** How long the server asked to be left alone (`Retry-After`), in ms. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, text: string, retryAfterMs?: number) {
    super(`HTTP ${status}: ${text}`)
    this.retryAfterMs = retryAfterMs
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
export function isHttpError(
  error: unknown,
): error is Error & { code?: unknown; status: number; data: JsonObject; retryAfterMs?: number | undefined } {
  const { status, data } = Object(error) as { status?: unknown; data?: unknown }
  return isNamed(error, 'SdkHttpError', 'HttpError') && typeof status === 'number' && isJsonObject(data)
}

/** True for a JSON-RPC error of the server: a `ProtocolError`, or an {@link RpcError}. */
export function isRpcError(error: unknown): error is Error & { code: number; data: unknown } {
  return isNamed(error, 'ProtocolError', 'RpcError')
}

/** True for an `SdkError`, or a {@link WireError}, with one of these codes. */
export function hasWireCode(error: unknown, ...codes: WireCode[]): boolean {
  const { code } = Object(error) as { code: WireCode }
  return isNamed(error, 'SdkError', 'SdkHttpError', 'WireError') && codes.includes(code)
}

/** True where the SDK has tried to sign in, to no avail: an `UnauthorizedError`. */
export function isUnauthorizedError(error: unknown): boolean {
  return isNamed(error, 'UnauthorizedError')
}

/** True where the SDK was told that the token is not for this: an `InsufficientScopeError`, whose name a minifier changes. */
export function isScopeError(error: unknown): boolean {
  return error instanceof Error && 'requiredScope' in error
}

function isNamed(error: unknown, ...names: string[]): error is Error {
  return error instanceof Error && names.includes(error.name)
}

/** The error and what it was caused by. The SDK keeps a cause in `data`, too; what a server has put there is no error. */
export function causes(error: unknown): Error[] {
  const found: Error[] = []
  let next = error
  while (next instanceof Error && !found.includes(next)) {
    found.push(next)
    const { cause, data } = next as { cause?: unknown; data?: unknown }
    next = cause ?? Object(data).cause
  }
  return found
}
