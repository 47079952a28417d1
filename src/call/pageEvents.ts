import type { Environment, Unsubscribe } from '../environment/environment.js'
import type { CallEvent } from './call.js'
import type { CallEntry } from './callEntry.js'
import type { CallTabs } from './callTabs.js'

export interface PageEventsOptions {
  readonly environment: Environment
  readonly tabs: Pick<CallTabs, 'postSyncRequest' | 'postTask'>
  /** Every call in this page that has become a task and has not ended. */
  readonly tracked: () => Iterable<CallEntry>
  readonly dispatch: (entry: CallEntry, event: CallEvent) => void
  /** Called when the page goes away. */
  readonly onHide: () => void
  /** Called for each call when the page is back from the back-forward cache. */
  readonly onShown: (entry: CallEntry) => void
}

/** Listens to the page once for all calls. Returns a function that unsubscribes. */
export function listenToPage({
  environment,
  tabs,
  tracked,
  dispatch,
  onHide,
  onShown,
}: PageEventsOptions): Unsubscribe {
  const toAll = (event: CallEvent) => {
    for (const entry of [...tracked()]) dispatch(entry, event)
  }

  /** While it was away this page received no messages, and its last ones may not have been delivered. */
  function comeBack(entry: CallEntry): void {
    const { call } = entry
    if (call.stage === 'following') {
      const { taskId } = call.task
      tabs.postSyncRequest(taskId)
      // Only what the server asked for: of the task itself the other tabs may have received a newer snapshot since.
      const { earliestAt: nextPollAt } = call
      if (nextPollAt > environment.now()) tabs.postTask(taskId, { type: 'poll-aborted', nextPollAt })
    }
    onShown(entry)
  }

  const subscriptions = [
    environment.onOnlineChange(() => toAll({ type: 'online' })),
    environment.onVisibilityChange(() => toAll({ type: 'wake' })),
    environment.onPageHide(onHide),
    environment.onPageShow(() => {
      toAll({ type: 'page-shown' })
      for (const entry of [...tracked()]) comeBack(entry)
    }),
  ]
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}
