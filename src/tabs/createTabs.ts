import { type CallMessage, type CallTabs, NOOP_CALL_TABS } from '../call/callTabs.js'
import { MESSAGE_DELAY_MS } from '../call/tabTimes.js'
import type { TaskMessage } from '../call/taskMessage.js'
import type { Channel, Environment, Locks, Unsubscribe } from '../environment/environment.js'
import { locksWithFallback } from './fallbackLocks.js'
import { createLeaderships } from './leaderships.js'
import { createTabChannel } from './tabChannel.js'
import { encodeTabMessage, type TabMessage } from './tabMessages.js'

/** The tabs of a page that is alone: it has no Web Locks or no BroadcastChannel, or does not want them. */
export const NOOP_TABS: Tabs = {
  ...NOOP_CALL_TABS,
  open: () => {},
  postForgotten: () => {},
  close: () => {},
}

/** The tabs of this browser that talk to the same server for the same account. */
export interface Tabs extends CallTabs {
  /** Starts to listen. Doing so again does no harm, and after `close` nothing at all. */
  open(): void
  /**
   * Posts to the other tabs of a scope, this one by default, that a call was forgotten, or every one, if it was
   * started up to then, ms since the epoch.
   */
  postForgotten(at: number, callId?: string, scope?: string): void
  close(): void
}

export interface TabsOptions {
  readonly scope: string
  /** A name shared by the tabs of a scope, and by no others. */
  readonly nameOf: (scope: string) => string
  readonly environment: Environment
  readonly locks: Locks
  readonly openChannel: (name: string) => Channel
  /** Called once if the browser refuses its locks here: this tab then does not wait for the others. */
  readonly onLocksRefused: (error: unknown) => void
  /** `scope`: one tab polls every task, since every tab knows every task. `task`: the tabs that follow a task elect one for it. */
  readonly leaderPer: 'scope' | 'task'
  readonly onCallMessage: (callId: string, message: CallMessage) => void
  readonly onTaskMessage: (taskId: string, message: TaskMessage) => void
  /** What this tab knows of a task, for another tab that asks. */
  readonly knownOf: (taskId: string) => readonly TaskMessage[]
  /** The ids of the tasks that this tab polls. */
  readonly polledTaskIds: () => readonly string[]
  readonly onForgotten: (callId: string | undefined, at: number) => void
}

export function createTabs(options: TabsOptions): Tabs {
  const { environment, openChannel, leaderPer } = options
  const locks = locksWithFallback(options.locks, options.onLocksRefused)
  const name = options.nameOf(options.scope)
  const { connect, disconnect, isConnected, post } = createTabChannel(() => openChannel(name), environment.now, receive)
  /**
   * True once another tab is known. Every tab posts something when it begins to follow a task, and when it is back; a frozen
   * one cannot, but its lock has to be stolen.
   */
  let hasPeers = false
  const onStolen = () => {
    hasPeers = true
  }
  const leaderships = createLeaderships({ name, locks, environment, leaderPer, isHere: isConnected, post, onStolen })
  let subscriptions: Unsubscribe[] = []
  let isClosed = false

  function postKnown(taskId: string): void {
    for (const message of options.knownOf(taskId)) post({ type: 'task', taskId, message })
  }

  /**
   * What this tab learned while it knew of no other one was not posted:
   *
   * ```text
   * tab A  frozen ··································· wakes ─ answers ── receives: not before 10:00:09
   * tab B         steals ─ closed
   * tab C                  asks ─ polls ── response: not before 10:00:09 ── posts it
   * ```
   */
  function meetPeer(): void {
    if (hasPeers) return
    hasPeers = true
    for (const taskId of options.polledTaskIds()) postKnown(taskId)
  }

  function comeBack(): void {
    connect()
    // Others may have been opened, or have come back, while this one was away.
    hasPeers = true
  }

  function receive(message: TabMessage): void {
    meetPeer()
    switch (message.type) {
      case 'task':
        return options.onTaskMessage(message.taskId, message.message)
      case 'call':
        return options.onCallMessage(message.callId, message.message)
      case 'forgotten':
        return options.onForgotten(message.callId, message.at)
      case 'leader':
        return leaderships.receive(message.isVisible)
      case 'sync-request':
        // Also where another tab leads, for that may be frozen, and all have received the same.
        postKnown(message.taskId)
        leaderships.announce()
        if (message.nextPollAt !== undefined) {
          options.onTaskMessage(message.taskId, { type: 'asked', nextPollAt: message.nextPollAt })
        }
    }
  }

  /**
   * How long a lock is kept after the last message. Lock grants and messages are not ordered: without the delay the
   * next tab could get the lock before the message that makes it unnecessary:
   *
   * ```text
   * tab A  posts the result ──── 100 ms ──── unlocks
   * tab B            receives it              is granted, too late to do harm
   * ```
   */
  const afterMessages = (release: () => void) => environment.setTimeout(release, MESSAGE_DELAY_MS)

  return {
    isAlone: false,
    hasPeers: () => hasPeers,
    open: () => {
      if (isClosed || subscriptions.length > 0) return
      connect()
      subscriptions = [
        environment.onPageHide(disconnect),
        environment.onPageShow(comeBack),
        environment.onVisibilityChange(leaderships.onVisibilityChange),
      ]
    },

    lock: (callId, signal) =>
      new Promise((resolve, reject) => {
        const hold = () => new Promise<void>((release) => resolve(() => afterMessages(release)))
        locks.request(`${name}:call:${callId}`, { signal }, hold).catch((error: unknown) => {
          reject(signal.aborted ? signal.reason : error)
        })
      }),

    exclusively: (work, signal, run) =>
      new Promise((resolve, reject) => {
        const hold = async () => {
          await run().then(resolve, reject)
          await new Promise<void>(afterMessages)
        }
        locks.request(`${name}:${work}`, { signal }, hold).catch(reject)
      }),

    isLeader: leaderships.isLeaderOfAll,
    leadershipOf: leaderships.of,
    postCall: (callId, message) => post({ type: 'call', callId, message }),
    postTask: (taskId, message) => {
      if (hasPeers) post({ type: 'task', taskId, message })
    },
    postSyncRequest: (taskId, nextPollAt) =>
      post({ type: 'sync-request', taskId, ...(nextPollAt !== undefined && { nextPollAt }) }),
    postForgotten: (at, callId, scope = options.scope) => {
      const message = { type: 'forgotten' as const, at, ...(callId !== undefined && { callId }) }
      // A channel does not receive its own messages, but it would receive those of another one of this page.
      if (scope === options.scope && isConnected()) return post(message)
      const theirs = openChannel(options.nameOf(scope))
      theirs.postMessage(encodeTabMessage(message))
      theirs.close()
    },

    close: () => {
      isClosed = true
      leaderships.close()
      for (const unsubscribe of subscriptions) unsubscribe()
      subscriptions = []
      disconnect()
    },
  }
}
