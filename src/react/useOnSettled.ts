import { useEffect, useRef } from 'react'
import type { OnSettled } from '../bindings/onSettled.js'
import type { TaskClient } from '../client/taskClient.js'

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
