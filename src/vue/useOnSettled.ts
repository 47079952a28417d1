import { watch } from 'vue'
import type { OnSettled } from '../bindings/onSettled.js'
import type { TaskClient } from '../client/taskClient.js'
import { isServer } from './vueQuery.js'

/** Calls `onSettled` with each call that settles and is the component's. */
export function useOnSettled(
  client: () => TaskClient,
  options: () => OnSettled,
  isOwn: (callId: string) => boolean,
): void {
  if (isServer) return
  watch(
    client,
    (current, _before, onCleanup) => {
      onCleanup(
        current.onToolCallSettled((call) => {
          if (isOwn(call.callId)) options().onSettled?.(call)
        }),
      )
    },
    { immediate: true },
  )
}
