import type { Environment, WebStorage } from '../../core/environment/environment.js'
import { nextMacrotask } from '../../server/base/nextMacrotask.js'
import { eventSource } from './eventSource.js'
import type { SimulatedChannels } from './simulatedChannels.js'
import type { SharedClock } from './simulatedClock.js'
import type { SimulatedLocks } from './simulatedLocks.js'
import { webStorage } from './webStorage.js'

/** A page whose network, visibility and lifecycle the test controls. */
export interface SimulatedPage {
  /** Pass it as `environment` to `createTaskClient`. */
  readonly environment: Environment
  /** Sets `navigator.onLine` of the page, and fires `online` or `offline`. Requests still get their responses, as they may in a browser. */
  setOnline(online: boolean): Promise<void>
  setVisible(visible: boolean): Promise<void>
  /** Fires `pagehide`. */
  hidePage(): Promise<void>
  /** Fires `pageshow`. */
  showPage(): Promise<void>
  /** Freezes the page, as a browser does to save power: no timer, message or response reaches the page. */
  freeze(): void
  thaw(): Promise<void>
  /** Crashes the page: its locks are released, and its timers never run. */
  crash(): Promise<void>
  /** Fires `pagehide`, then closes the page and discards its `sessionStorage`. */
  close(): Promise<void>
  /** Closes the page and opens a new one in the same tab, with the same `sessionStorage`, and offline if this one is. */
  reload(): Promise<SimulatedPage>
  /** Returns the number of timers that have not run. */
  timers(): number
  /** Returns the number of listeners that have not been removed. */
  listeners(): number
  /** Returns the number of Web Locks that the page holds or waits for. */
  locks(): number
  /** Returns the number of channels that have not been closed. */
  channels(): number
}

/** What the pages of a browser have in common. */
export interface SharedByPages extends Pick<Environment, 'random' | 'randomId' | 'fetch'> {
  readonly clock: SharedClock
  readonly channels: SimulatedChannels
  readonly locks: SimulatedLocks
  readonly local: WebStorage
  /** Say to each page that another one has changed `local`. */
  readonly onStored: Set<() => void>
}

/** Opens a page with the `sessionStorage` of its tab. A page after a reload has the network of the one before. */
export function openSimulatedPage(shared: SharedByPages, session: WebStorage, startsOnline = true): SimulatedPage {
  const { clock } = shared
  const { settle } = clock
  let isOnline = startsOnline
  let isVisible = true
  const life = createPageLife()
  const { arrival } = life
  const events = {
    online: eventSource(),
    visibility: eventSource(),
    pagehide: eventSource(),
    pageshow: eventSource(),
    storage: eventSource(),
  }
  const timers = clock.forPage(life.isFrozen)
  const channels = shared.channels.forPage(arrival)
  const locks = shared.locks.forPage(arrival)

  const hearOfStored = () => {
    if (events.storage.size() > 0) void clock.travel(nextMacrotask).then(arrival).then(events.storage.emit)
  }
  shared.onStored.add(hearOfStored)
  const local = telling(shared.local, () => {
    for (const hear of shared.onStored) if (hear !== hearOfStored) hear()
  })

  async function end(): Promise<void> {
    life.end()
    shared.onStored.delete(hearOfStored)
    timers.releaseAll()
    channels.releaseAll()
    locks.releaseAll()
    await settle()
  }

  async function close(): Promise<void> {
    await fire(events.pagehide)
    await end()
  }

  async function fire(source: { emit(): void }): Promise<void> {
    if (life.isFrozen()) void arrival().then(source.emit)
    else source.emit()
    await settle()
  }

  const environment: Environment = {
    now: clock.now,
    setTimeout: timers.setTimeout,
    clearTimeout: timers.clearTimeout,
    random: shared.random,
    randomId: shared.randomId,
    fetch: async (url, init) => {
      if (!life.isAlive()) await arrival()
      const response = await shared.fetch(url, init).finally(arrival)
      await arrival()
      return response
    },
    baseUrl: () => 'http://localhost/',
    isOnline: () => isOnline,
    onOnlineChange: events.online.subscribe,
    isVisible: () => isVisible,
    onVisibilityChange: events.visibility.subscribe,
    onPageHide: events.pagehide.subscribe,
    onPageShow: events.pageshow.subscribe,
    storage: (kind) => {
      if (!life.isAlive()) return webStorage()
      return kind === 'local' ? local : session
    },
    onStorageChange: events.storage.subscribe,
    locks: locks.locks,
    channel: channels.open,
  }

  return {
    environment,
    setOnline: (value) => {
      isOnline = value
      return fire(events.online)
    },
    setVisible: (value) => {
      isVisible = value
      return fire(events.visibility)
    },
    hidePage: () => fire(events.pagehide),
    showPage: () => fire(events.pageshow),
    freeze: life.freeze,
    thaw: async () => {
      life.thaw()
      await settle()
    },
    crash: end,
    close,
    reload: async () => {
      await close()
      return openSimulatedPage(shared, session, isOnline)
    },
    listeners: () => Object.values(events).reduce((sum, event) => sum + event.size(), 0),
    timers: timers.size,
    locks: locks.size,
    channels: channels.size,
  }
}

/** A storage that says when it is changed. */
function telling(storage: WebStorage, tell: () => void): WebStorage {
  return {
    get length() {
      return storage.length
    },
    key: (index) => storage.key(index),
    getItem: (key) => storage.getItem(key),
    setItem: (key, value) => {
      storage.setItem(key, value)
      tell()
    },
    removeItem: (key) => {
      storage.removeItem(key)
      tell()
    },
  }
}

/** Whether a page is there and awake. */
export interface PageLife {
  isAlive(): boolean
  isFrozen(): boolean
  /** What comes from outside waits while the page is frozen, and never arrives when it is gone. */
  arrival(): Promise<void>
  freeze(): void
  thaw(): void
  end(): void
}

export function createPageLife(): PageLife {
  let isAlive = true
  /** Resolves when the page is thawed. */
  let frozen: Promise<void> | undefined
  let thaw = () => {}
  return {
    isAlive: () => isAlive,
    isFrozen: () => frozen !== undefined,
    arrival: async () => {
      while (frozen !== undefined) await frozen
      if (!isAlive) await new Promise<never>(() => {})
    },
    freeze: () => {
      frozen ??= new Promise((resolve) => {
        thaw = resolve
      })
    },
    thaw: () => {
      frozen = undefined
      thaw()
    },
    end: () => {
      isAlive = false
    },
  }
}
