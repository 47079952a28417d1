import type { SettledToolCall } from '../call/toolCallState.js'

/** What calls a tool takes this beside TanStack's options. */
export interface OnSettled {
  /**
   * Called once when the call has a result or an error, while the component is mounted: for a toast. Not for an outcome
   * that is known when it mounts. To hear of every call of the page, `client.onToolCallSettled`.
   */
  onSettled?: ((call: SettledToolCall) => void) | undefined
}
