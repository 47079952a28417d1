import type { Environment } from '../environment/environment.js'
import type { CallEntry } from './callEntry.js'
import type { Leadership } from './callTabs.js'
import { MESSAGE_DELAY_MS } from './tabTimes.js'

/** Which calls of this page take part in which election. */
export interface Membership {
  join(entry: CallEntry, leadership: Leadership): void
  leave(entry: CallEntry): void
}

interface Group {
  readonly entries: Set<CallEntry>
  readonly end: () => void
  /** The timer that ends it. */
  ending?: unknown
}

/**
 * One membership for all calls of an election.
 *
 * @param onLeaderChange Called for each call when this tab becomes the leader or ceases to be.
 */
export function createMembership(
  environment: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
  onLeaderChange: (entry: CallEntry) => void,
): Membership {
  const groups = new Map<Leadership, Group>()

  function begin(leadership: Leadership): Group {
    const entries = new Set<CallEntry>()
    const unsubscribe = leadership.onChange(() => {
      for (const entry of [...entries]) onLeaderChange(entry)
    })
    const leave = leadership.join()
    const end = () => {
      groups.delete(leadership)
      unsubscribe()
      leave()
    }
    const group = { entries, end }
    groups.set(leadership, group)
    return group
  }

  return {
    join: (entry, leadership) => {
      const group = groups.get(leadership) ?? begin(leadership)
      environment.clearTimeout(group.ending)
      group.entries.add(entry)
    },
    leave: (entry) => {
      const group = entry.leadership && groups.get(entry.leadership)
      if (!group?.entries.delete(entry) || group.entries.size > 0) return
      // Its last message is still on its way to the tab that leads next.
      group.ending = environment.setTimeout(group.end, MESSAGE_DELAY_MS)
    },
  }
}
