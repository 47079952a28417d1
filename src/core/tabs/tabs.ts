import type { Environment, TimerHandle, Unsubscribe } from '../environment/environment.js'
import type { TabMessage } from './messages.js'

/**
 * How long messages may take to arrive, in ms. Lock grants and messages are not ordered, so a lock is kept so long after
 * the last message: without it the next tab could get the lock before the message that makes it unnecessary.
 *
 * ```text
 * tab A  posts the result ──── 100 ms ──── unlocks
 * tab B            receives it              is granted, too late to do harm
 * ```
 */
export const MESSAGE_DELAY_MS = 100

/** A timer that is late by so much, in ms, says that its page was frozen: those of hidden tabs are throttled to one a second. */
export const FROZEN_MS = 1000

/**
 * Calls back when what is on its way from other tabs has had so many ms to arrive. The timers of a page that was frozen may run before
 * it receives what has waited, so it waits once more. Returns the timer.
 */
export function onceHeard(
  { now, setTimeout }: Pick<Environment, 'now' | 'setTimeout'>,
  onHeard: () => void,
  forMs: number = MESSAGE_DELAY_MS,
): TimerHandle {
  const lateAt = now() + forMs + FROZEN_MS
  return setTimeout(() => (now() < lateAt ? onHeard() : setTimeout(onHeard, forMs)), forMs)
}

/** Which of several tabs polls. */
export interface Election {
  isLeader(): boolean
  /** Takes part in it. Returns a function that leaves it. */
  join(): Unsubscribe
  /** Takes the lead from the tab that has it. */
  steal(): void
  /** Lets the tab that waits longest for the lead have it. */
  giveAway(): void
}

/** A lock that this tab holds. */
export interface TabLock {
  release(): void
  /** False once another tab may hold it: at a backend, the lock of a process that was frozen goes to another one. */
  isHeld(): boolean
}

/** The tabs of this browser that talk to the same server for the same account. */
export interface Tabs {
  /** True if there are no other tabs to talk to. */
  readonly isAlone: boolean
  /** Starts to listen. Doing so again does no harm, and after `close` nothing at all. */
  open(): void
  /** True once another tab is known. */
  hasPeers(): boolean
  post(message: TabMessage): void
  /** Posts to the tabs of a scope that a call was forgotten, or every one, if it was started up to then. */
  postForgotten(at: number, callId?: string, scope?: string): void
  /** Waits until no other tab holds it. Rejects with the signal's reason. */
  lock(name: string, signal: AbortSignal): Promise<TabLock>
  /** The election that decides which tab polls the task. */
  electionOf(taskId: string): Election
  close(): void
}

const nothing = (): void => {}
/** The lock of a tab that is alone, or of a call that needs none. */
export const NO_LOCK: TabLock = { release: nothing, isHeld: () => true }
const SOLE_LEADER: Election = { isLeader: () => true, join: () => nothing, steal: nothing, giveAway: nothing }

/** The tabs of a page that is alone: it has no Web Locks or no BroadcastChannel, or does not want them. */
export const NO_TABS: Tabs = {
  isAlone: true,
  open: nothing,
  hasPeers: () => false,
  post: nothing,
  postForgotten: nothing,
  lock: () => Promise.resolve(NO_LOCK),
  electionOf: () => SOLE_LEADER,
  close: nothing,
}
