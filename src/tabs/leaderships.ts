import type { Leadership } from '../call/callTabs.js'
import { MESSAGE_DELAY_MS } from '../call/tabTimes.js'
import type { Environment, Locks } from '../environment/environment.js'
import { hash } from '../storage/hash.js'
import { createLeadership } from './leadership.js'
import type { TabMessage } from './tabMessages.js'

export interface LeadershipsOptions {
  /** What the names of the locks begin with. */
  readonly name: string
  readonly locks: Locks
  readonly environment: Environment
  /** `scope`: one tab polls every task, since every tab knows every task. `task`: the tabs that follow a task elect one for it. */
  readonly leaderPer: 'scope' | 'task'
  /** False while the page is away. */
  readonly isHere: () => boolean
  readonly post: (message: TabMessage) => void
  /** Called when this tab has stolen leadership from another one. */
  readonly onStolen: () => void
}

/** The elections that this tab stands for. A tab that can be seen is preferred. */
export interface Leaderships {
  of(taskId: string): Leadership
  /** True if this tab polls every task. */
  isLeaderOfAll(): boolean
  /** Tells the other tabs whether this tab can be seen, where it leads. */
  announce(): void
  /** The tab that leads has said whether it can be seen. */
  receive(isVisible: boolean): void
  /** This tab can be seen now, or no longer. */
  onVisibilityChange(): void
  close(): void
}

/** The lock of the tab that polls every task. */
const SCOPE_LOCK = 'leader'

export function createLeaderships(options: LeadershipsOptions): Leaderships {
  const { name, locks, environment, isHere, post } = options
  const leaderships = new Map<string, Leadership>()
  /** False if the tab that leads is hidden, and so throttled. */
  let isLeaderVisible = true
  let takeOver: unknown

  function postLeader(): void {
    post({ type: 'leader', isVisible: environment.isVisible() })
  }

  /** A hidden tab is throttled: one that can be seen takes over from it. */
  function preferVisible(): void {
    if (isLeaderVisible || !environment.isVisible()) return
    for (const leadership of leaderships.values()) leadership.steal()
  }

  function leads(): boolean {
    return [...leaderships.values()].some((leadership) => leadership.isLeader())
  }

  return {
    of: (taskId) => {
      // Every script of the origin can list the names of locks.
      const lockName = options.leaderPer === 'scope' ? SCOPE_LOCK : `leader:${hash(taskId)}`
      const known = leaderships.get(lockName)
      if (known !== undefined) return known
      const onEmpty = () => leaderships.delete(lockName)
      const leadership = createLeadership(`${name}:${lockName}`, locks, environment, isHere, onEmpty)
      leadership.onChange(() => {
        if (!leadership.isLeader()) return
        if (leadership.wasStolen()) options.onStolen()
        postLeader()
      })
      leaderships.set(lockName, leadership)
      return leadership
    },
    isLeaderOfAll: () => leaderships.get(SCOPE_LOCK)?.isLeader() === true,
    announce: () => {
      if (leads()) postLeader()
    },
    receive: (isVisible) => {
      isLeaderVisible = isVisible
      environment.clearTimeout(takeOver)
      // What the leader knows of each task is still on its way; without it this tab would poll too early.
      if (!isLeaderVisible) takeOver = environment.setTimeout(preferVisible, MESSAGE_DELAY_MS)
    },
    onVisibilityChange: () => (leads() ? postLeader() : preferVisible()),
    close: () => environment.clearTimeout(takeOver),
  }
}
