import type { Environment } from '../environment/environment.js'
import { asError } from '../protocol/asError.js'
import type { TaskErrorContext } from './taskClient.js'

/** How errors reach the app, and its own ones do not reach the client. */
export interface Reports {
  /** Calls `onError`. */
  report(error: Error, context: TaskErrorContext): void
  /** Returns a function that does so with what goes wrong in this operation. */
  reporting(operation: TaskErrorContext['operation']): (error: unknown) => void
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
  const report: Reports['report'] = (error, context) => guard(() => onError(error, context))
  return {
    report,
    reporting: (operation) => (error) => report(asError(error), { operation }),
    guard,
    rethrowLater,
  }
}
