import type { Environment, WebStorage } from '../../core/environment/environment.js'
import { createSimulatedChannels } from './simulatedChannels.js'
import { createSharedClock, type SimulatedClock } from './simulatedClock.js'
import { createSimulatedLocks } from './simulatedLocks.js'
import { openSimulatedPage, type SharedByPages, type SimulatedPage } from './simulatedPage.js'
import { webStorage } from './webStorage.js'

export interface SimulatedBrowserOptions {
  /** The start time, in ms since the epoch. @default 2026-07-28T00:00:00Z */
  now?: number
  /** The return value of `random()`, in [0, 1). @default 0.5 */
  random?: () => number
  /** A name that the ids have in them which the pages draw. For two browsers of one server: two devices never draw the same id. */
  device?: string
  /** The implementation of `environment.fetch`. @default the global fetch */
  fetch?: Environment['fetch']
  /**
   * How many turns of the event loop a request that is answered from memory may take, including bodies and validation.
   * @default 12
   */
  turns?: number
}

/** A browser with any number of pages, which share clock, `localStorage`, locks and channels. */
export interface SimulatedBrowser extends SimulatedClock {
  /** Opens a page in a new tab, with an empty `sessionStorage`. */
  openPage(): SimulatedPage
  readonly storage: { readonly local: WebStorage }
}

/**
 * Creates a simulated browser, for tests of several tabs.
 *
 * @example
 * ```ts
 * const browser = createSimulatedBrowser()
 * const [a, b] = [browser.openPage(), browser.openPage()]
 * const inA = createTaskClient({ url, environment: a.environment })
 * const inB = createTaskClient({ url, environment: b.environment })
 * await a.crash()
 * await browser.advance(2000)
 * ```
 */
export function createSimulatedBrowser(options: SimulatedBrowserOptions = {}): SimulatedBrowser {
  const { turns = 12, now = Date.UTC(2026, 6, 28), random = () => 0.5, device = 'id' } = options
  let sequence = 0
  const nextId = () => ++sequence
  const clock = createSharedClock(now, turns, nextId)
  const shared: SharedByPages = {
    clock,
    channels: createSimulatedChannels(clock),
    locks: createSimulatedLocks(),
    local: webStorage(),
    onStored: new Set(),
    random,
    randomId: () => `simulated-random-${device}-${nextId()}`,
    // Looked up with each request: a test may replace the global one.
    fetch: (url, init) => (options.fetch ?? globalThis.fetch)(url, init),
  }
  const { advance, sleep, setClock, settle, pendingTimers } = clock

  return {
    now: clock.now,
    advance,
    sleep,
    setClock,
    settle,
    pendingTimers,
    openPage: () => openSimulatedPage(shared, webStorage()),
    storage: { local: shared.local },
  }
}
