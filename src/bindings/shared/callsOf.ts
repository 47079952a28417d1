import type { TaskClient } from '../../core/client/taskClient.js'
import { holdCalls } from '../../core/client/toolCallGroup.js'
import type { ToolCallState } from '../../core/record/toolCallState.js'

/** What a list of calls shows while the calls are not known yet. */
export const NO_CALLS: readonly ToolCallState[] = []

/**
 * Calls the listener when a call of one of the clients changes. `isHeld`: which calls stay in memory meanwhile, also once they have ended.
 * Returns a function that unsubscribes.
 */
export function watchCalls(
  clients: readonly TaskClient[],
  listener: () => void,
  isHeld?: (call: ToolCallState) => boolean,
): () => void {
  const hold = holdCalls()
  const holdThose = () => isHeld && hold(clients, callsOf(clients).filter(isHeld))
  holdThose()
  const onChange = () => {
    holdThose()
    listener()
  }
  const unsubscribe = clients.map(({ store }) => store.subscribe(onChange))
  return () => {
    for (const each of unsubscribe) each()
    hold([], [])
  }
}

/** Every call of the clients. */
export function callsOf(clients: readonly TaskClient[]): readonly ToolCallState[] {
  return clients.flatMap(({ store }) => Object.values(store.getState().calls))
}
