import type { Environment } from '../environment/environment.js'
import type { TaskErrorContext } from './taskClient.js'

/** How errors reach the app, and its own ones do not reach the client. */
export interface Reports {
  /** Calls `onError`. */
  report(error: Error, context: TaskErrorContext): void
  /** Calls something of the app. */
  guard(call: () => void): void
  /** The app's own error surfaces as an uncaught one, without taking the client with it. */
  rethrowLater(error: unknown): void
}

export function createReports(
  environment: Pick<Environment, 'setTimeout'>,
  onError: (error: Error, context: TaskErrorContext) => void,
): Reports {
  function rethrowLater(error: unknown): void {
    environment.setTimeout(() => {
      throw error
    }, 0)
  }
  function guard(call: () => void): void {
    try {
      call()
    } catch (thrown) {
      rethrowLater(thrown)
    }
  }
  return { report: (error, context) => guard(() => onError(error, context)), guard, rethrowLater }
}
