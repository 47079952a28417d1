import type { TaskClient } from '../../core/client/taskClient.js'

/** The calls whose error a component has thrown to its error boundary since they were last made, by client. */
const thrown = new WeakMap<TaskClient, Set<string>>()

/** A component throws the error of the call. */
export function noteThrown(client: TaskClient, callId: string): void {
  thrown.set(client, (thrown.get(client) ?? new Set()).add(callId))
}

/**
 * True once after that. A reset of error boundaries says no more than that some error was reset: where the app has no
 * `QueryErrorResetBoundary`, TanStack Query has one for the whole page.
 */
export function takeThrown(client: TaskClient, callId: string): boolean {
  return thrown.get(client)?.delete(callId) === true
}
