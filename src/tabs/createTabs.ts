import { type CallMessage, type CallTabs, NO_TABS } from '../engine/callTabs.js'
import type { TabLink, TaskNews } from '../engine/tabLink.js'
import type { Channel, Environment, Locks, Unsubscribe } from '../environment/environment.js'
import { hash } from '../storage/hash.js'
import { createLeadership, type Leadership } from './leadership.js'
import { lenientLocks } from './lenientLocks.js'
import { decodeTabMessage, encodeTabMessage, type TabMessage } from './tabMessages.js'

/** The tabs of a page that is alone: it has no Web Locks or no BroadcastChannel, or does not want them. */
export const ALONE_IN_BROWSER: Tabs = {
  ...NO_TABS,
  open: () => {},
  tellForgotten: () => {},
  close: () => {},
}

/** The tabs of this browser that talk to the same server for the same account. */
export interface Tabs extends CallTabs {
  /** Starts to listen. Doing so again does no harm, and after `close` nothing at all. */
  open(): void
  /**
   * Tells the other tabs of a scope, this one by default, that a call was forgotten, or every one, if it was
   * started up to then, ms since the epoch.
   */
  tellForgotten(at: number, callId?: string, scope?: string): void
  close(): void
}

export interface TabsOptions {
  readonly scope: string
  /** A name shared by the tabs of a scope, and by no others. */
  readonly nameOf: (scope: string) => string
  readonly environment: Environment
  readonly locks: Locks
  readonly openChannel: (name: string) => Channel
  /** Hears, once, that the browser refuses its locks here: this tab does then not wait for the others. */
  readonly onLocksRefused: (error: unknown) => void
  /** `scope`: one tab polls every task, since every tab knows every task. `task`: the tabs that follow a task elect one for it. */
  readonly leaderPer: 'scope' | 'task'
  readonly onCallMessage: (callId: string, message: CallMessage) => void
  readonly onForgotten: (callId: string | undefined, at: number) => void
}

/**
 * How long a tab holds on to its locks after its last word, in ms. Locks and messages travel apart: who
 * gets the lock first would not have heard yet that there is nothing left to do.
 *
 * ```text
 * tab A  tells the result ──── 100 ms ──── lets go
 * tab B            hears it                 is granted, too late to do harm
 * ```
 */
const LINGER_MS = 100

export function createTabs(options: TabsOptions): Tabs {
  const { environment, openChannel } = options
  const locks = lenientLocks(options.locks, options.onLocksRefused)
  const name = options.nameOf(options.scope)
  const newsListeners = new Map<string, Set<(news: TaskNews) => void>>()
  const leaderships = new Map<string, Leadership>()
  /** What this tab last knew of each task it follows, for tabs that come later. */
  const latest = new Map<string, TaskNews>()
  /** Until when a poll of this tab is under way, by task. */
  const ownPolls = new Map<string, number>()
  /** Until when a poll of another tab is under way, by task. */
  const foreignPolls = new Map<string, number>()
  let channel: Channel | undefined
  let subscriptions: Unsubscribe[] = []
  let isClosed = false

  function open(): void {
    if (isClosed || subscriptions.length > 0) return
    connect()
    subscriptions = [
      environment.onPageHide(disconnect),
      environment.onPageShow(comeBack),
      environment.onVisibilityChange(onVisibilityChange),
    ]
  }

  function connect(): void {
    if (channel !== undefined) return
    channel = openChannel(name)
    channel.onMessage((data) => {
      const message = decodeTabMessage(data, environment.now())
      if (message !== undefined) receive(message)
    })
  }

  /** Away, this tab has heard nothing, and the others may not have heard what it was told last. */
  function comeBack(): void {
    connect()
    for (const taskId of newsListeners.keys()) {
      post({ type: 'who', taskId })
      const news = latest.get(taskId)
      if (news === undefined || !('nextPollAt' in news)) continue
      // Only the time that the server asked for: of how it goes, the others may have heard better since.
      const nextPollAt = 'notBefore' in news ? news.notBefore : news.nextPollAt
      if (nextPollAt > environment.now()) post({ type: 'news', taskId, news: { type: 'dropped', nextPollAt } })
    }
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
      case 'news':
        hear(message.taskId, message.news)
        break
      case 'call':
        options.onCallMessage(message.callId, message.message)
        break
      case 'forgotten':
        options.onForgotten(message.callId, message.at)
        break
      case 'leader':
        isLeaderVisible = message.isVisible
        environment.clearTimeout(takeOver)
        // What the tab that leads knows of each task is still on its way; without it this one would ask too early.
        if (!isLeaderVisible) takeOver = environment.setTimeout(preferVisible, LINGER_MS)
        break
      case 'who':
        answer(message.taskId)
        break
    }
  }

  /** Also where another tab leads, for that may be frozen, and all have heard the same. */
  function answer(taskId: string): void {
    const news = latest.get(taskId)
    if (news) post({ type: 'news', taskId, news })
    const until = ownPolls.get(taskId)
    if (until !== undefined) post({ type: 'news', taskId, news: { type: 'polling', until } })
    if (leads()) post({ type: 'leader', isVisible: environment.isVisible() })
  }

  function hear(taskId: string, news: TaskNews): void {
    if (news.type === 'polling') foreignPolls.set(taskId, news.until)
    else foreignPolls.delete(taskId)
    const listeners = newsListeners.get(taskId)
    if (listeners === undefined) return
    remember(taskId, news)
    for (const listener of [...listeners]) listener(news)
  }

  /** Also what another tab said: it may be gone when somebody asks. */
  function remember(taskId: string, news: TaskNews): void {
    if (news.type !== 'polling') latest.set(taskId, news)
  }

  /** A hidden tab is throttled: one that can be seen takes over from it. */
  let isLeaderVisible = true
  let takeOver: unknown
  function preferVisible(): void {
    if (isLeaderVisible || !environment.isVisible()) return
    for (const leadership of leaderships.values()) leadership.take()
  }

  function onVisibilityChange(): void {
    if (leads()) post({ type: 'leader', isVisible: environment.isVisible() })
    else preferVisible()
  }

  function leads(): boolean {
    return [...leaderships.values()].some((leadership) => leadership.isLeader())
  }

  function leadershipOf(taskId: string): Leadership {
    // Every script of the origin can list the names of locks.
    const office = options.leaderPer === 'scope' ? 'leader' : `leader:${hash(taskId)}`
    const known = leaderships.get(office)
    if (known !== undefined) return known
    const leadership = createLeadership(`${name}:${office}`, locks, environment, () => channel !== undefined)
    leadership.onChange(() => {
      if (leadership.isLeader()) post({ type: 'leader', isVisible: environment.isVisible() })
    })
    leaderships.set(office, leadership)
    return leadership
  }

  return {
    open,

    claim: (callId, signal) =>
      new Promise((resolve, reject) => {
        const hold = () => new Promise<void>((release) => resolve(() => environment.setTimeout(release, LINGER_MS)))
        locks.request(`${name}:call:${callId}`, { signal }, hold).catch((error: unknown) => {
          reject(signal.aborted ? signal.reason : error)
        })
      }),

    exclusively: (work, signal, run) =>
      new Promise((resolve, reject) => {
        const hold = async () => {
          await run().then(resolve, reject)
          await new Promise<void>((release) => environment.setTimeout(release, LINGER_MS))
        }
        locks.request(`${name}:${work}`, { signal }, hold).catch(reject)
      }),

    link: (taskId, isNew, nextPollAt): TabLink => {
      const leadership = leadershipOf(taskId)
      const listeners = new Set<(news: TaskNews) => void>()
      newsListeners.set(taskId, listeners)
      latest.set(taskId, { type: 'dropped', nextPollAt })
      // What others know of the task is still on its way to a tab that leads already.
      const isLate = leadership.isLeader() && !isNew
      const turnListeners = new Set<() => void>()
      const onTurn = () => {
        for (const listener of [...turnListeners]) listener()
      }
      const unsubscribe = leadership.onChange(onTurn)
      const hearAll = () => {
        listening = undefined
        onTurn()
      }
      let listening = isLate ? environment.setTimeout(hearAll, LINGER_MS) : undefined
      const leave = leadership.join()
      post({ type: 'who', taskId })
      return {
        isMyTurn: () => {
          if (!leadership.isLeader() || listening !== undefined) return false
          // The last poll of a tab that lives may still be answered.
          const isElsewhere = isLate || leadership.wasTaken()
          return !isElsewhere || environment.now() >= (foreignPolls.get(taskId) ?? 0)
        },
        takeTurn: leadership.take,
        onTurnChange: (listener) => {
          turnListeners.add(listener)
          return () => {
            turnListeners.delete(listener)
          }
        },
        publish: (news) => {
          if (news.type === 'polling') ownPolls.set(taskId, news.until)
          else ownPolls.delete(taskId)
          remember(taskId, news)
          post({ type: 'news', taskId, news })
        },
        onNews: (listener) => {
          listeners.add(listener)
          return () => {
            listeners.delete(listener)
          }
        },
        close: () => {
          environment.clearTimeout(listening)
          unsubscribe()
          environment.setTimeout(leave, LINGER_MS)
          if (newsListeners.get(taskId) !== listeners) return
          newsListeners.delete(taskId)
          latest.delete(taskId)
          ownPolls.delete(taskId)
          foreignPolls.delete(taskId)
        },
      }
    },

    tell: (callId, message) => post({ type: 'call', callId, message }),
    tellForgotten: (at, callId, scope = options.scope) => {
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
