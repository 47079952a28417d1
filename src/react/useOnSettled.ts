import { useEffect } from 'react'
import { type OnSettled, watchSettled } from '../bindings/onSettled.js'
import type { TaskClient } from '../client/taskClient.js'
import { useLatest } from './useLatest.js'

/** Calls `onSettled` with each call that settles and is the component's. */
export function useOnSettled(
  client: TaskClient,
  options: OnSettled,
  shownId: string | undefined,
  started?: Set<string>,
): void {
  const latest = useLatest(options)
  const shown = useLatest(shownId)
  useEffect(() => watchSettled(client, latest, shown, started), [client, latest, shown, started])
}
