import type { TaskClient } from '../../core/client/taskClient.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'

/** What a list of calls shows while the calls are not known yet. */
export const NO_CALLS: readonly ToolCallState[] = []

/** Calls the listener when a call of one of the clients changes. Returns a function that unsubscribes. */
export function watchCalls(clients: readonly TaskClient[], listener: () => void): () => void {
  const unsubscribe = clients.map(({ store }) => store.subscribe(listener))
  return () => {
    for (const each of unsubscribe) each()
  }
}

/** Every call of the clients. */
export function callsOf(clients: readonly TaskClient[]): readonly ToolCallState[] {
  return clients.flatMap(({ store }) => Object.values(store.getState().calls))
}
