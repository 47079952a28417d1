import type { TaskClient } from '../../core/client/taskClient.js'
import type { SettledToolCall } from '../../core/record/toolCallState.js'

/** An option of every hook that calls a tool, in addition to those of TanStack Query. */
export interface OnSettled {
  /**
   * Called once when the call gets a result or an error while the component is mounted, for instance to show a toast. Not
   * called for an outcome that is already known when the component mounts. To hear of every call of the page, use
   * `client.onToolCallSettled`.
   */
  onSettled?: ((call: SettledToolCall) => void) | undefined
}

/** The calls that a component has started. */
export interface StartedCalls {
  readonly ids: Set<string>
  /** Shows nothing of the last one: it was forgotten. */
  reset(): void
}

/**
 * Calls `onSettled` with each call that settles and is the component's: the one that it shows, and those that it has
 * started. Returns a function that unsubscribes.
 */
export function watchSettled(
  client: TaskClient,
  options: () => OnSettled,
  shownId: () => string | undefined,
  started?: StartedCalls,
): () => void {
  const stopSettled = client.onToolCallSettled((call) => {
    if (started?.ids.delete(call.callId) || call.callId === shownId()) options().onSettled?.(call)
  })
  const stopForgotten = client.onForgotten((isForgotten) => {
    const callId = shownId()
    if (callId !== undefined && isForgotten(callId)) started?.reset()
  })
  return () => {
    stopSettled()
    stopForgotten()
  }
}
