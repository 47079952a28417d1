import { useEffect, useRef } from 'react'
import type { SettledToolCall } from '../call/toolCallState.js'
import type { TaskClient } from '../client/taskClient.js'

/** What the hooks that call a tool take beside TanStack's options. */
export interface OnSettled {
  /**
   * Called once when the call has a result or an error, while the component is mounted: for a toast. Not for an outcome
   * that is known when it mounts. To hear of every call of the page, `client.onToolCallSettled`.
   */
  onSettled?: ((call: SettledToolCall) => void) | undefined
}

/** Calls `onSettled` with each call that settles and is the component's. */
export function useOnSettled(
  client: TaskClient,
  onSettled: OnSettled['onSettled'],
  isOwn: (callId: string) => boolean,
): void {
  const latest = useRef({ onSettled, isOwn })
  useEffect(() => {
    latest.current = { onSettled, isOwn }
  })
  useEffect(
    () =>
      client.onToolCallSettled((call) => {
        if (latest.current.isOwn(call.callId)) latest.current.onSettled?.(call)
      }),
    [client],
  )
}
