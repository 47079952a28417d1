import type { Environment } from '../../environment/environment.js'
import type { CallChange } from '../../run/tap.js'
import type { WirePiece } from '../../wire/wireTap.js'
import type { PageObservation, TaskClientObservation } from './events.js'
import { createObservations } from './observations.js'
import type { OfFirstLoad } from './ofFirstLoad.js'
import { createWireObserver } from './wireObserver.js'

export interface Observer {
  take(what: CallChange | WirePiece): void
  close(): void
}

/** Puts what happens to calls, to the page and on the wire into words. */
export function createObserver(
  environment: Environment,
  ofFirstLoad: OfFirstLoad,
  tell: (observation: TaskClientObservation) => void,
): Observer {
  const observationsOf = createObservations(ofFirstLoad)
  const wire = createWireObserver(environment, ofFirstLoad, tell)
  const page = (state: PageObservation['state']) => tell({ type: 'page', at: environment.now(), state })
  const unsubscribe = [
    environment.onVisibilityChange(() => page(environment.isVisible() ? 'visible' : 'hidden')),
    environment.onOnlineChange(() => page(environment.isOnline() ? 'online' : 'offline')),
    environment.onPageHide(() => page('frozen')),
    environment.onPageShow(() => page('restored')),
  ]
  return {
    take: (what) => {
      if (!('after' in what)) return wire.take(what)
      if (what.after.task) wire.learn(what.after.task.task.taskId)
      for (const observation of observationsOf(what)) tell(observation)
    },
    close: () => {
      wire.close()
      for (const each of unsubscribe) each()
    },
  }
}
