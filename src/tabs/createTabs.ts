import { type CallMessage, type CallTabs, type Leadership, NO_TABS } from '../call/callTabs.js'
import { MESSAGE_DELAY_MS } from '../call/tabTimes.js'
import type { TaskMessage } from '../call/taskMessage.js'
import type { Channel, Environment, Locks, Unsubscribe } from '../environment/environment.js'
import { hash } from '../storage/hash.js'
import { locksWithFallback } from './fallbackLocks.js'
import { createLeadership } from './leadership.js'
import { decodeTabMessage, encodeTabMessage, type TabMessage } from './tabMessages.js'

/** The tabs of a page that is alone: it has no Web Locks or no BroadcastChannel, or does not want them. */
export const ALONE_IN_BROWSER: Tabs = {
  ...NO_TABS,
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
  readonly onForgotten: (callId: string | undefined, at: number) => void
}

/** The lock of the tab that polls every task. */
const SCOPE_LOCK = 'leader'

export function createTabs(options: TabsOptions): Tabs {
  const { environment, openChannel } = options
  const locks = locksWithFallback(options.locks, options.onLocksRefused)
  const name = options.nameOf(options.scope)
  const leaderships = new Map<string, Leadership>()
  let channel: Channel | undefined
  let subscriptions: Unsubscribe[] = []
  let isClosed = false
  /** True once another tab has posted something: each tab asks when it begins to follow a task, and when it is back. */
  let hasPeers = false
  /** False if the tab that leads is hidden, and so throttled. */
  let isLeaderVisible = true
  let takeOver: unknown

  function open(): void {
    if (isClosed || subscriptions.length > 0) return
    connect()
    subscriptions = [
      environment.onPageHide(disconnect),
      environment.onPageShow(connect),
      environment.onVisibilityChange(() => (leads() ? postLeader() : preferVisible())),
    ]
  }

  function connect(): void {
    if (channel !== undefined) return
    channel = openChannel(name)
    channel.onMessage((data) => {
      const message = decodeTabMessage(data, environment.now())
      if (message === undefined) return
      hasPeers = true
      receive(message)
    })
  }

  function disconnect(): void {
    channel?.close()
    channel = undefined
  }

  function post(message: TabMessage): void {
    channel?.postMessage(encodeTabMessage(message))
  }

  function receive(message: TabMessage): void {
    switch (message.type) {
      case 'task':
        return options.onTaskMessage(message.taskId, message.message)
      case 'call':
        return options.onCallMessage(message.callId, message.message)
      case 'forgotten':
        return options.onForgotten(message.callId, message.at)
      case 'leader':
        isLeaderVisible = message.isVisible
        environment.clearTimeout(takeOver)
        // What the leader knows of each task is still on its way; without it this tab would poll too early.
        if (!isLeaderVisible) takeOver = environment.setTimeout(preferVisible, MESSAGE_DELAY_MS)
        return
      case 'sync-request':
        // Also where another tab leads, for that may be frozen, and all have received the same.
        for (const known of options.knownOf(message.taskId))
          post({ type: 'task', taskId: message.taskId, message: known })
        if (leads()) postLeader()
    }
  }

  function postLeader(): void {
    post({ type: 'leader', isVisible: environment.isVisible() })
  }

  /** A hidden tab is throttled: one that can be seen takes over from it. */
  function preferVisible(): void {
    if (isLeaderVisible || !environment.isVisible()) return
    for (const leadership of leaderships.values()) leadership.take()
  }

  function leads(): boolean {
    return [...leaderships.values()].some((leadership) => leadership.isLeader())
  }

  function leadershipOf(taskId: string): Leadership {
    // Every script of the origin can list the names of locks.
    const lockName = options.leaderPer === 'scope' ? SCOPE_LOCK : `leader:${hash(taskId)}`
    const known = leaderships.get(lockName)
    if (known !== undefined) return known
    const isHere = () => channel !== undefined
    const onEmpty = () => leaderships.delete(lockName)
    const leadership = createLeadership(`${name}:${lockName}`, locks, environment, isHere, onEmpty)
    leadership.onChange(() => {
      if (leadership.isLeader()) postLeader()
    })
    leaderships.set(lockName, leadership)
    return leadership
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
    open,

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

    isLeader: () => leaderships.get(SCOPE_LOCK)?.isLeader() === true,
    leadershipOf,
    postCall: (callId, message) => post({ type: 'call', callId, message }),
    postTask: (taskId, message) => {
      if (hasPeers) post({ type: 'task', taskId, message })
    },
    postSyncRequest: (taskId) => post({ type: 'sync-request', taskId }),
    postForgotten: (at, callId, scope = options.scope) => {
      const message = { type: 'forgotten' as const, at, ...(callId !== undefined && { callId }) }
      // A channel does not hear itself, but it would hear another one of this page.
      if (scope === options.scope && channel !== undefined) return post(message)
      const theirs = openChannel(options.nameOf(scope))
      theirs.postMessage(encodeTabMessage(message))
      theirs.close()
    },

    close: () => {
      isClosed = true
      environment.clearTimeout(takeOver)
      for (const unsubscribe of subscriptions) unsubscribe()
      subscriptions = []
      disconnect()
    },
  }
}
