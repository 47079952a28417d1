import { onMount } from 'svelte'
import { toStore } from 'svelte/store'
import type { TaskClient } from '../../core/client/taskClient.js'
import { type OnSettled, type StartedCalls, watchSettled } from '../shared/onSettled.js'

/** Calls `onSettled` with each call that settles and is the component's, while the component is mounted. */
export function listenToSettled(
  client: () => TaskClient,
  options: () => OnSettled,
  shownId: () => string | undefined,
  started?: StartedCalls,
): void {
  onMount(() => {
    let listensTo: TaskClient | undefined
    let unsubscribe = () => {}
    const unfollow = toStore(client).subscribe((from) => {
      // Svelte's stores take every object for another one.
      if (from === listensTo) return
      listensTo = from
      unsubscribe()
      unsubscribe = watchSettled(from, options, shownId, started)
    })
    return () => {
      unfollow()
      unsubscribe()
    }
  })
}
