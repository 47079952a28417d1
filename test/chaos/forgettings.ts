import type { TaskClient } from 'taskwire'
import type { Start } from './callLedger.js'
import { LATEST_MS } from './messageTroubles.js'
import type { Tab } from './tab.js'

/** Which calls the app has forgotten, and what pages can know of it. */
export interface Forgettings {
  /** The app asks a tab to forget calls. The other tabs are about to hear of it. */
  asked(by: Tab | undefined, callIds: readonly string[] | 'all'): void
  /** A call is forgotten once that is done and resolves to true, unless it is started meanwhile. `order`: of the last start. */
  asking(callId: string, order: number, by: Tab | undefined, done: Promise<boolean>): void
  started(callId: string): void
  /** Whether word of what was asked before may come to the tab after a call that it starts now, which is then forgotten too. */
  isMeant(tab: Tab, callId: string): boolean
  /** Such a call is forgotten with all that were started before. */
  meant(callId: string, order: number): void
  /** Whether the call was forgotten after this start. */
  isGivenUp(start: Start): boolean
  /** Whether nothing of the call may be left in any tab that was there to hear of it. */
  isForgotten(callId: string): boolean
  /** The machine falls asleep: nobody has heard of what was forgotten in this instant. */
  slept(ms: number): void
}

export interface ForgettingsOptions {
  /** The machine's own time, and that of the pages. */
  readonly now: () => number
  readonly wallClock: () => number
  readonly tabs: readonly Tab[]
  /** Whether the app has started the call after so many starts. */
  readonly isStartedSince: (callId: string, order: number) => boolean
}

export function createForgettings({ now, wallClock, tabs, isStartedSince }: ForgettingsOptions): Forgettings {
  /** Calls that the app knows to be forgotten, with the tabs that were making them and may not have heard of it. */
  const forgotten = new Map<string, { at: number; readonly callers: readonly Tab[] }>()
  /** How many calls had been started when the app asked for it. */
  const askedAfter = new Map<string, number>()
  /** How often each call was begun. */
  const begun = new Map<string, number>()
  /** What the app has asked for lately, and other tabs may have yet to hear of. */
  let underWay: {
    readonly by: TaskClient | undefined
    readonly at: number
    /** By the clock of that tab. */
    readonly saidAt: number
    readonly callIds: ReadonlySet<string> | 'all'
  }[] = []
  const timeOf = (tab: Tab | undefined) => wallClock() + (tab?.aheadMs ?? 0)

  return {
    asked: (by, callIds) => {
      const at = now()
      const asking = {
        by: by?.client,
        at,
        saidAt: timeOf(by),
        callIds: callIds === 'all' ? callIds : new Set(callIds),
      }
      underWay = [...underWay.filter((other) => at - other.at <= LATEST_MS), asking]
    },
    asking: (callId, order, by, done) => {
      askedAfter.set(callId, order)
      const stateIn = ({ client }: Tab) => client.store.getState().calls[callId]
      const callers = tabs.filter((tab) => tab.isAlive && stateIn(tab)?.phase === 'calling')
      // A page in the back-forward cache learns it from the record that is gone, so there has to have been one.
      if (callers.some(({ isCached }) => isCached)) return
      // Started before the clock was set back, or by a clock that is ahead, it cannot be told from what was called since.
      const itsNow = timeOf(by)
      if (callers.some((tab) => (stateIn(tab)?.startedAt ?? 0) > itsNow)) return
      const at = now()
      const before = begun.get(callId)
      done.then(
        (isComplete) => {
          const isBegunSince = begun.get(callId) !== before || isStartedSince(callId, order)
          if (isComplete && askedAfter.get(callId) === order && !isBegunSince) forgotten.set(callId, { at, callers })
        },
        () => {},
      )
    },
    started: (callId) => {
      begun.set(callId, (begun.get(callId) ?? 0) + 1)
      forgotten.delete(callId)
    },
    isMeant: ({ client, aheadMs }, callId) =>
      underWay.some(
        ({ by, at, saidAt, callIds }) =>
          now() - at <= LATEST_MS &&
          wallClock() + aheadMs <= saidAt &&
          by !== client &&
          (callIds === 'all' || callIds.has(callId)),
      ),
    meant: (callId, order) => void askedAfter.set(callId, order),
    isGivenUp: ({ callId, order }) => order <= (askedAfter.get(callId) ?? 0),
    isForgotten: (callId) => {
      const { at, callers = [] } = forgotten.get(callId) ?? {}
      // A tab that ends or is cached in the same instant does not hear of it, and tidies nothing up.
      const isUntidy = callers.some(({ endedAt, cachedAt }) => endedAt === at || cachedAt === at)
      return at !== undefined && !isUntidy
    },
    slept: (ms) => {
      for (const entry of forgotten.values()) if (entry.at === now()) entry.at += ms
    },
  }
}
