import { watch } from 'vue'
import type { OnSettled } from '../bindings/onSettled.js'
import type { TaskClient } from '../client/taskClient.js'
import { isServer } from './vueQuery.js'

/** Calls `onSettled` with each call that settles and is the component's. */
export function useOnSettled(
  client: () => TaskClient,
  onSettled: () => OnSettled['onSettled'],
  isOwn: (callId: string) => boolean,
): void {
  if (isServer) return
  watch(
    client,
    (current, _before, onCleanup) => {
      onCleanup(
        current.onToolCallSettled((call) => {
          if (isOwn(call.callId)) onSettled()?.(call)
        }),
      )
    },
    { immediate: true },
  )
}
