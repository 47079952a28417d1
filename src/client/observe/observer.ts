import type { CallChange } from '../../call/callChange.js'
import type { Environment } from '../../environment/environment.js'
import type { PageObservation, TaskClientObservation } from './events.js'
import { createObservations } from './observations.js'

export interface Observer {
  take(change: CallChange): void
  close(): void
}

/** Puts what happens to calls and to the page into words. */
export function createObserver(
  environment: Environment,
  hash: (text: string) => string,
  tell: (observation: TaskClientObservation) => void,
): Observer {
  const observationsOf = createObservations(hash)
  const page = (state: PageObservation['state']) => tell({ type: 'page', at: environment.now(), state })
  const unsubscribe = [
    environment.onVisibilityChange(() => page(environment.isVisible() ? 'visible' : 'hidden')),
    environment.onOnlineChange(() => page(environment.isOnline() ? 'online' : 'offline')),
    environment.onPageHide(() => page('frozen')),
    environment.onPageShow(() => page('restored')),
  ]
  return {
    take: (change) => {
      for (const observation of observationsOf(change)) tell(observation)
    },
    close: () => {
      for (const each of unsubscribe) each()
    },
  }
}
