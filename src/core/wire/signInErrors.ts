import { TaskRequestError } from '../protocol/errors.js'
import { causes, isHttpError, isScopeError, isUnauthorizedError } from './wireErrors.js'

/** Errors that stand for a sign-in that failed; their cause no longer shows it. */
const failedSignIns = new WeakSet<object>()

/** The server asks for credentials. */
export function credentialsError(cause: unknown, taskId?: string): TaskRequestError {
  const error = new TaskRequestError(
    'The server asks for credentials. Sign in again; the task keeps running meanwhile.',
    {
      kind: 'auth',
      status: statusOf(cause),
      cause,
      taskId,
    },
  )
  noteSignInFailure(cause, error)
  return error
}

/** Marks an error that is made of another one, where that stands for a sign-in that failed. */
export function noteSignInFailure(cause: unknown, error: Error): void {
  if (isSignInFailure(cause)) failedSignIns.add(error)
}

/** True if the SDK has tried to sign in, and the server refuses the request all the same. */
export function isSignInFailure(error: unknown): boolean {
  return causes(error).some(
    (one) =>
      failedSignIns.has(one) ||
      isUnauthorizedError(one) ||
      // A connection that is refused where there is no provider has the same code, and the server's words.
      (isHttpError(one) && one.code === 'CLIENT_HTTP_AUTHENTICATION' && !('text' in one.data)),
  )
}

/** True if the server asks the user to sign in: by 401, or for a wider scope. */
export function needsSignIn(error: unknown): boolean {
  return causes(error).some((one) => {
    const { status } = one as { status?: unknown }
    return status === 401 || isSignInFailure(one) || isScopeError(one)
  })
}

/** True if no connection came about because the server asks for credentials. */
export function needsCredentials(error: unknown): boolean {
  return causes(error).some(isUnauthorized)
}

/** True if the server asks for credentials, or refuses those that it got. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && statusOf(error) !== undefined
}

/** With which of the two statuses the server has asked for credentials; undefined if it has not. */
function statusOf(error: unknown): 401 | 403 | undefined {
  const { status } = Object(error) as { status?: unknown }
  if (isUnauthorizedError(error) || isScopeError(error)) return 401
  return status === 401 || status === 403 ? status : undefined
}
