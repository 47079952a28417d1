import { type CallMessage, type CallTabs, NO_TABS } from '../engine/callTabs.js'
import type { TabLink, TaskNews } from '../engine/tabLink.js'
import type { Channel, Environment, Locks, Unsubscribe } from '../environment/environment.js'
import { createLeadership, type Leadership } from './leadership.js'
import { decodeTabMessage, encodeTabMessage, type TabMessage } from './tabMessages.js'

/** The tabs of a page that is alone: it has no Web Locks or no BroadcastChannel, or does not want them. */
export const ALONE_IN_BROWSER: Tabs = {
  ...NO_TABS,
  open: () => {},
  tellForgotten: () => {},
  tellAllForgotten: () => {},
  close: () => {},
}

/** The tabs of this browser that talk to the same server for the same account. */
export interface Tabs extends CallTabs {
  /** Starts to listen. Doing so again does no harm. */
  open(): void
  /** Tells the other tabs that a call was forgotten. */
  tellForgotten(callId: string): void
  /** Tells the tabs of a scope, which may be another one, that every call was. */
  tellAllForgotten(scope: string): void
  close(): void
}

export interface TabsOptions {
  readonly scope: string
  /** A name shared by the tabs of a scope, and by no others. */
  readonly nameOf: (scope: string) => string
  readonly environment: Environment
  readonly locks: Locks
  readonly openChannel: (name: string) => Channel
  /** `scope`: one tab polls every task, since every tab knows every task. `call`: the tabs that follow a task elect one for it. */
  readonly leaderPer: 'scope' | 'call'
  readonly onCallMessage: (callId: string, message: CallMessage) => void
  readonly onForgotten: (callId: string | undefined) => void
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
  const { environment, locks, openChannel } = options
  const name = options.nameOf(options.scope)
  const newsListeners = new Map<string, Set<(news: TaskNews) => void>>()
  const leaderships = new Map<string, Leadership>()
  /** What this tab last published of each task it polls, for tabs that come later. */
  const published = new Map<string, TaskNews>()
  /** Until when a poll of another tab is under way, by call. */
  const foreignPolls = new Map<string, number>()
  let channel: Channel | undefined
  let subscriptions: Unsubscribe[] = []

  function open(): void {
    if (channel !== undefined) return
    connect()
    subscriptions = [
      environment.onPageHide(disconnect),
      environment.onPageShow(connect),
      environment.onVisibilityChange(onVisibilityChange),
    ]
  }

  function connect(): void {
    if (channel !== undefined) return
    channel = openChannel(name)
    channel.onMessage((data) => {
      const message = decodeTabMessage(data)
      if (message !== undefined) receive(message)
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
      case 'news':
        if (message.news.type === 'polling') foreignPolls.set(message.callId, message.news.until)
        else foreignPolls.delete(message.callId)
        for (const listener of [...(newsListeners.get(message.callId) ?? [])]) listener(message.news)
        break
      case 'call':
        options.onCallMessage(message.callId, message.message)
        break
      case 'forgotten':
        options.onForgotten(message.callId)
        break
      case 'leader':
        isLeaderVisible = message.isVisible
        preferVisible()
        break
      case 'who': {
        if (!leads()) break
        post({ type: 'leader', isVisible: environment.isVisible() })
        const news = published.get(message.callId)
        if (news) post({ type: 'news', callId: message.callId, news })
        break
      }
    }
  }

  /** A hidden tab is throttled: one that can be seen takes over from it. */
  let isLeaderVisible = true
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

  function leadershipOf(callId: string): Leadership {
    const office = options.leaderPer === 'scope' ? 'leader' : `leader:${callId}`
    const known = leaderships.get(office)
    if (known !== undefined) return known
    const leadership = createLeadership(`${name}:${office}`, locks, environment)
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

    exclusively: (work, signal, run) => locks.request(`${name}:${work}`, { signal }, run),

    link: (callId): TabLink => {
      const leadership = leadershipOf(callId)
      const listeners = new Set<(news: TaskNews) => void>()
      newsListeners.set(callId, listeners)
      const leave = leadership.join()
      post({ type: 'who', callId })
      return {
        isMyTurn: () => {
          if (!leadership.isLeader()) return false
          // Taken from a tab that lives, its last poll may still be answered.
          return !leadership.wasTaken() || environment.now() >= (foreignPolls.get(callId) ?? 0)
        },
        takeTurn: leadership.take,
        onTurnChange: leadership.onChange,
        publish: (news) => {
          if (news.type !== 'polling') published.set(callId, news)
          post({ type: 'news', callId, news })
        },
        onNews: (listener) => {
          listeners.add(listener)
          return () => {
            listeners.delete(listener)
          }
        },
        close: () => {
          environment.setTimeout(leave, LINGER_MS)
          published.delete(callId)
          foreignPolls.delete(callId)
          if (newsListeners.get(callId) === listeners) newsListeners.delete(callId)
        },
      }
    },

    tell: (callId, message) => post({ type: 'call', callId, message }),
    tellForgotten: (callId) => post({ type: 'forgotten', callId }),
    tellAllForgotten: (scope) => {
      const theirs = openChannel(options.nameOf(scope))
      theirs.postMessage(encodeTabMessage({ type: 'forgotten' }))
      theirs.close()
    },

    close: () => {
      for (const unsubscribe of subscriptions) unsubscribe()
      subscriptions = []
      disconnect()
    },
  }
}
