import type { Channel, Environment, HeldLock, Locks, Unsubscribe } from '../environment/environment.js'
import { hash } from '../record/hash.js'
import { createElection, type OwnElection } from './election.js'
import { locksWithFallback } from './fallbackLocks.js'
import { type CallMessage, decodeTabMessage, encodeTabMessage, type TabMessage } from './messages.js'
import { type Election, MESSAGE_DELAY_MS, onceHeard, type TabLock, type Tabs } from './tabs.js'

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
  readonly onMessage: (message: CallMessage) => void
  /** Called with the first message of another tab: what this one learned while it knew of none was not posted. */
  readonly onPeer: () => void
  /** Called when the page is back from where it received nothing. */
  readonly onBack: () => void
  /** Called when this tab becomes the leader of an election or ceases to be. */
  readonly onLeaderChange: (election: Election, byStealing: boolean) => void
}

export function createTabs(options: TabsOptions): Tabs {
  const { environment, openChannel, leaderPer } = options
  const locks = locksWithFallback(options.locks, options.onLocksRefused)
  const name = options.nameOf(options.scope)
  const elections = new Map<string, OwnElection>()
  let channel: Channel | undefined
  /**
   * True once another tab is known. Every tab posts something when it begins to follow a task, and when it is back; a frozen
   * one cannot, but its lock has to be stolen.
   */
  let hasPeers = false
  let subscriptions: Unsubscribe[] = []
  let isClosed = false
  const visible = preferVisible(environment, () => {
    for (const election of elections.values()) election.steal()
  })

  const post = (message: TabMessage) => channel?.postMessage(encodeTabMessage(message))
  const leads = () => [...elections.values()].some((election) => election.isLeader())

  function connect(): void {
    if (channel !== undefined || isClosed) return
    channel = openChannel(name)
    channel.onMessage((data) => {
      const message = decodeTabMessage(data, environment.now())
      if (message !== undefined) receive(message)
    })
  }

  function disconnect(): void {
    channel?.close()
    channel = undefined
  }

  function receive(message: TabMessage): void {
    if (!hasPeers) {
      hasPeers = true
      options.onPeer()
    }
    if (message.type === 'ask') announce()
    if (message.type === 'leader') visible.leaderIs(message.isVisible)
    else options.onMessage(message)
  }

  /** Says to the other tabs whether this one can be seen, where it leads. */
  function announce(): void {
    if (leads()) post({ type: 'leader', isVisible: environment.isVisible() })
  }

  function comeBack(): void {
    connect()
    // Others may have been opened, or have come back, while this one was away.
    hasPeers = true
    for (const election of elections.values()) election.comeBack()
    options.onBack()
  }

  function onLeaderChange(election: Election, byStealing: boolean): void {
    if (election.isLeader()) {
      hasPeers ||= byStealing
      announce()
    }
    options.onLeaderChange(election, byStealing)
  }

  return {
    isAlone: false,
    hasPeers: () => hasPeers,
    open: () => {
      if (isClosed || subscriptions.length > 0) return
      connect()
      const leavePage = () => {
        for (const election of elections.values()) election.leavePage()
        disconnect()
      }
      subscriptions = [
        environment.onPageHide(leavePage),
        environment.onPageShow(comeBack),
        environment.onVisibilityChange(() => (leads() ? announce() : visible.look())),
      ]
    },
    post,
    postForgotten: (at, callId, scope = options.scope) => {
      const postedAt = environment.now()
      const message = { type: 'forgotten' as const, at, postedAt, ...(callId !== undefined && { callId }) }
      // A channel does not receive its own messages, but it would receive those of another one of this page.
      if (scope === options.scope && channel !== undefined) return post(message)
      const theirs = openChannel(options.nameOf(scope))
      theirs.postMessage(encodeTabMessage(message))
      theirs.close()
    },
    lock: (what, signal) => requestLock(environment, locks, `${name}:${what}`, signal),
    electionOf: (taskId) => {
      // Every script of the origin can list the names of locks.
      const lockName = leaderPer === 'scope' ? 'leader' : `leader:${hash(taskId)}`
      const known = elections.get(lockName)
      if (known !== undefined) return known
      const election = createElection({
        name: `${name}:${lockName}`,
        locks,
        environment,
        isHere: () => channel !== undefined,
        onChange: onLeaderChange,
        onEmpty: () => elections.delete(lockName),
      })
      elections.set(lockName, election)
      return election
    },
    close: () => {
      isClosed = true
      visible.close()
      for (const unsubscribe of subscriptions) unsubscribe()
      subscriptions = []
      disconnect()
    },
  }
}

/**
 * Resolves when the lock is granted. It is let go when the last message of this page has arrived, and where it was waited
 * for, what the others have said comes first: a page that was frozen gets all that in no order. One that is lost before that
 * is waited for again: another process may have it by then.
 */
function requestLock(environment: Environment, locks: Locks, name: string, signal: AbortSignal): Promise<TabLock> {
  const { now, setTimeout } = environment
  const askedAt = now()
  return new Promise((resolve, reject) => {
    let isLost = false
    let isGranted = false
    const hold = (lock: HeldLock | null) =>
      new Promise<void>((letGo) => {
        const isHeld = () => !isLost && lock?.isHeld?.() !== false
        const release = () => void setTimeout(letGo, MESSAGE_DELAY_MS)
        const granted = () => {
          isGranted = true
          resolve({ release, isHeld })
        }
        const waitedMs = now() - askedAt
        // Less than none by a clock that was set back meanwhile.
        if (waitedMs >= 0 && waitedMs < MESSAGE_DELAY_MS) granted()
        else onceHeard(environment, granted)
      })
    locks.request(name, { signal }, hold).catch(() => {
      isLost = true
      if (signal.aborted) reject(signal.reason)
      else if (!isGranted) resolve(requestLock(environment, locks, name, signal))
    })
  })
}

/** A hidden tab is throttled: one that can be seen takes over from it, once it has received what that one knows. */
function preferVisible(environment: Environment, steal: () => void) {
  let isLeaderVisible = true
  let timer: unknown
  const look = () => {
    if (!isLeaderVisible && environment.isVisible()) steal()
  }
  return {
    leaderIs: (isVisible: boolean) => {
      isLeaderVisible = isVisible
      environment.clearTimeout(timer)
      if (!isVisible) timer = environment.setTimeout(look, MESSAGE_DELAY_MS)
    },
    /** This tab can be seen now, or no longer. */
    look,
    close: () => environment.clearTimeout(timer),
  }
}
