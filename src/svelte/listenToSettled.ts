import { onMount } from 'svelte'
import type { OnSettled } from '../bindings/onSettled.js'
import type { TaskClient } from '../client/taskClient.js'

/** Calls `onSettled` with each call that settles and is the component's, while the component is mounted. */
export function listenToSettled(
  client: () => TaskClient,
  options: () => OnSettled,
  isOwn: (callId: string) => boolean,
): void {
  onMount(() =>
    client().onToolCallSettled((call) => {
      if (isOwn(call.callId)) options().onSettled?.(call)
    }),
  )
}
