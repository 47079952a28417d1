import { watch } from 'vue'
import type { TaskClient } from '../../core/client/taskClient.js'
import { type OnSettled, type StartedCalls, watchSettled } from '../shared/onSettled.js'
import { isServer } from './vueQuery.js'

/** Calls `onSettled` with each call that settles and is the component's. */
export function useOnSettled(
  client: () => TaskClient,
  options: () => OnSettled,
  shownId: () => string | undefined,
  started?: StartedCalls,
): void {
  if (isServer) return
  watch(client, (current, _before, onCleanup) => onCleanup(watchSettled(current, options, shownId, started)), {
    immediate: true,
  })
}
