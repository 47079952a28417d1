import type { TaskClient } from '../../core/client/taskClient.js'
import { type OnSettled, type StartedCalls, watchSettled } from '../shared/onSettled.js'
import { whileMounted } from './whileMounted.js'

/** Calls `onSettled` with each call that settles and is the component's, while the component is mounted. */
export function listenToSettled(
  client: () => TaskClient,
  options: () => OnSettled,
  shownId: () => string | undefined,
  started?: StartedCalls,
): void {
  whileMounted(
    () => [client()],
    () => watchSettled(client(), options, shownId, started),
  )
}
