import { type Accessor, createEffect, onCleanup } from 'solid-js'
import type { TaskClient } from '../../core/client/taskClient.js'
import { type OnSettled, type StartedCalls, watchSettled } from '../shared/onSettled.js'

/** Calls `onSettled` with each call that settles and is the component's. On a server effects do not run. */
export function createOnSettled(
  client: Accessor<TaskClient>,
  options: Accessor<OnSettled>,
  shownId: Accessor<string | undefined>,
  started?: StartedCalls,
): void {
  createEffect(() => onCleanup(watchSettled(client(), options, shownId, started)))
}
