import type { Environment } from '../environment/environment.js'
import { type Circumstances, isTracked } from './call.js'
import type { CallEntry } from './callEntry.js'
import type { CallTabs } from './callTabs.js'
import type { TaskPort } from './taskPort.js'

/** Returns a function that reads the clock, and calls `onSetBack` first where it was set back, by as many ms. */
export function watchClock(now: () => number, onSetBack: (by: number) => void): () => number {
  let last = now()
  return () => {
    const at = now()
    const by = last - at
    last = at
    if (by > 0) onSetBack(by)
    return at
  }
}

/** What the page and the browser look like to a call. */
export function circumstancesOf(
  { call, leadership }: CallEntry,
  environment: Pick<Environment, 'random' | 'isOnline' | 'isVisible'>,
  tabs: Pick<CallTabs, 'isAlone' | 'isLeader'>,
  { era }: Pick<TaskPort, 'era'>,
  isPushed: (taskId: string) => boolean,
  { now, isLate }: Pick<Circumstances, 'now' | 'isLate'>,
): Circumstances {
  return {
    now,
    jitter: environment.random(),
    era,
    isOnline: environment.isOnline(),
    isVisible: environment.isVisible(),
    isAlone: tabs.isAlone,
    isLeader: leadership?.isLeader() ?? tabs.isLeader(),
    wasStolen: leadership?.wasStolen() === true,
    isPushed: isTracked(call) && isPushed(call.task.taskId),
    isLate,
  }
}
