import { useEffect } from 'react'
import type { TaskClient } from '../../core/client/taskClient.js'
import { type OnSettled, type StartedCalls, watchSettled } from '../shared/onSettled.js'
import { useLatest } from './useLatest.js'

/** Calls `onSettled` with each call that settles and is the component's. */
export function useOnSettled(
  client: TaskClient,
  options: OnSettled,
  shownId: string | undefined,
  started?: StartedCalls,
): void {
  const latest = useLatest(options)
  const shown = useLatest(shownId)
  useEffect(() => watchSettled(client, latest, shown, started), [client, latest, shown, started])
}
