import type { Channel, Environment, Unsubscribe, WebStorage } from '../environment/environment.js'
import { nextMacrotask } from '../server/base/nextMacrotask.js'
import { createSimulatedLocks } from './simulatedLocks.js'

export interface SimulatedBrowserOptions {
  /** The time it starts at, ms since the epoch. @default 2026-07-28T00:00:00Z */
  now?: number
  /** What `random()` returns, in [0, 1). @default 0.5 */
  random?: () => number
  /** What `environment.fetch` does. @default the global fetch */
  fetch?: Environment['fetch']
  /** Turns of the event loop that a request answered from memory may take, bodies and validation included. @default 12 */
  turns?: number
}

/** The clock of a simulated browser: nothing happens until the test lets time pass. */
export interface SimulatedClock {
  /** Wall-clock time, ms since the epoch. */
  now(): number
  /**
   * Lets time pass: runs every timer that falls due, in order, and whatever promises they set off. It does
   * not wait for real I/O; answer requests from memory, or `await` them between two steps.
   */
  advance(ms: number): Promise<void>
  /** Moves the wall clock without running timers, as a machine that sleeps does. */
  sleep(ms: number): void
  /**
   * Sets the wall clock forward, or back where `ms` is negative, as a correction of the clock does. Timers keep their
   * time.
   */
  setClock(ms: number): void
  /** Waits for the promises that are under way. */
  settle(): Promise<void>
  /** Timers that have not run. */
  pendingTimers(): number
}

/** A page whose network, visibility and life the test decides. */
export interface SimulatedPage {
  /** Pass it as `environment` to `createTaskClient`. */
  readonly environment: Environment
  setOnline(online: boolean): Promise<void>
  setVisible(visible: boolean): Promise<void>
  /** Fires `pagehide`. */
  hidePage(): Promise<void>
  /** Fires `pageshow`. */
  showPage(): Promise<void>
  /** Stops the page as a browser that saves power does: no timer, message or answer reaches it. */
  freeze(): void
  thaw(): Promise<void>
  /** The page crashes: its locks are free, its timers never run. */
  crash(): Promise<void>
  /** Fires `pagehide`, then the page is gone, and its `sessionStorage` with it. */
  close(): Promise<void>
  /** Closes the page and opens the one that comes after it in the same tab, with the same `sessionStorage`. */
  reload(): Promise<SimulatedPage>
  /** Timers that have not run. */
  timers(): number
  /** Listeners that have not been taken away. */
  listeners(): number
  /** Web Locks that are held or waited for. */
  locks(): number
  /** Channels that have not been closed. */
  channels(): number
}

/** A browser with any number of pages, which share clock, `localStorage`, locks and channels. */
export interface SimulatedBrowser extends SimulatedClock {
  /** Opens a page in a tab of its own, with an empty `sessionStorage`. */
  openPage(): SimulatedPage
  readonly storage: { readonly local: WebStorage }
}

interface Timer {
  readonly at: number
  readonly id: number
  readonly callback: () => void
  readonly isFrozen: () => boolean
}

/**
 * A browser for tests of several tabs.
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
  const { turns = 12 } = options
  let now = options.now ?? Date.UTC(2026, 6, 28)
  /** What the wall clock was set forward by. Timers do not know of it. */
  let correction = 0
  let sequence = 0
  const timers = new Map<number, Timer>()
  const channels = new Set<{ readonly name: string; deliver(message: unknown): void }>()
  const locks = createSimulatedLocks()
  const storage = { local: webStorage() }

  async function settle(): Promise<void> {
    for (let turn = 0; turn < turns || travelling > 0; turn++) await nextMacrotask()
  }

  /** Messages that are on their way to a page that is awake. */
  let travelling = 0
  async function travel(way: () => Promise<void>): Promise<void> {
    travelling += 1
    await way()
    travelling -= 1
  }

  function nextTimer(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers.values()) {
      if (timer.at <= until && !timer.isFrozen() && (next === undefined || timer.at < next.at)) next = timer
    }
    return next
  }

  function openPage(session: WebStorage): SimulatedPage {
    let isOnline = true
    let isVisible = true
    let isAlive = true
    /** Resolves when the page is thawed. */
    let frozen: Promise<void> | undefined
    let thaw = () => {}
    const own = new Set<number>()
    const ownChannels = new Set<Channel>()
    const events = {
      online: eventSource(),
      visibility: eventSource(),
      pagehide: eventSource(),
      pageshow: eventSource(),
    }
    const pageLocks = locks.forPage(arrival)

    /** What comes from outside waits while the page is frozen, and never arrives when it is gone. */
    async function arrival(): Promise<void> {
      while (frozen !== undefined) await frozen
      if (!isAlive) await new Promise(() => {})
    }

    function openChannel(name: string): Channel {
      const listeners = eventSource<unknown>()
      let last = Promise.resolve()
      const channel = {
        name,
        // One after the other, each in a turn of its own, also those that have waited for a frozen page.
        deliver: (message: unknown) => {
          last = last
            .then(() => travel(nextMacrotask))
            .then(arrival)
            .then(() => listeners.emit(message))
        },
      }
      const opened: Channel = {
        postMessage: (message) => {
          if (!isAlive) return
          for (const other of channels)
            if (other !== channel && other.name === name) other.deliver(structuredClone(message))
        },
        onMessage: listeners.subscribe,
        close: () => {
          channels.delete(channel)
          ownChannels.delete(opened)
        },
      }
      if (!isAlive) return opened
      channels.add(channel)
      ownChannels.add(opened)
      return opened
    }

    async function end(): Promise<void> {
      isAlive = false
      for (const id of own) timers.delete(id)
      for (const channel of [...ownChannels]) channel.close()
      pageLocks.releaseAll()
      await settle()
    }

    async function close(): Promise<void> {
      await fire(events.pagehide)
      await end()
    }

    async function fire(source: { emit(): void }): Promise<void> {
      if (frozen === undefined) source.emit()
      else void arrival().then(source.emit)
      await settle()
    }

    const environment: Environment = {
      now: () => now + correction,
      setTimeout: (callback, delayMs) => {
        const id = ++sequence
        const run = () => {
          own.delete(id)
          callback()
        }
        if (!isAlive) return id
        timers.set(id, { at: now + Math.max(0, delayMs), id, callback: run, isFrozen: () => frozen !== undefined })
        own.add(id)
        return id
      },
      clearTimeout: (handle) => {
        timers.delete(handle as number)
        own.delete(handle as number)
      },
      random: options.random ?? (() => 0.5),
      randomId: () => `id-${++sequence}`,
      fetch: async (url, init) => {
        if (!isAlive) await arrival()
        const fetch = options.fetch ?? globalThis.fetch
        const response = await fetch(url, init).finally(arrival)
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
        if (!isAlive) return webStorage()
        return kind === 'local' ? storage.local : session
      },
      locks: pageLocks.locks,
      channel: openChannel,
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
      freeze: () => {
        frozen ??= new Promise((resolve) => {
          thaw = resolve
        })
      },
      thaw: async () => {
        frozen = undefined
        thaw()
        await settle()
      },
      crash: end,
      close,
      reload: async () => {
        await close()
        return openPage(session)
      },
      listeners: () => Object.values(events).reduce((sum, event) => sum + event.size(), 0),
      timers: () => own.size,
      locks: pageLocks.size,
      channels: () => ownChannels.size,
    }
  }

  return {
    now: () => now + correction,
    advance: async (ms) => {
      const until = now + ms
      await settle()
      for (let timer = nextTimer(until); timer !== undefined; timer = nextTimer(until)) {
        timers.delete(timer.id)
        now = Math.max(now, timer.at)
        timer.callback()
        await settle()
      }
      now = Math.max(now, until)
    },
    sleep: (ms) => {
      now += ms
    },
    setClock: (ms) => {
      correction += ms
    },
    settle,
    pendingTimers: () => timers.size,
    openPage: () => openPage(webStorage()),
    storage,
  }
}

interface EventSource<T> {
  subscribe(listener: (value: T) => void): Unsubscribe
  emit(value: T): void
  size(): number
}

function eventSource<T = void>(): EventSource<T> {
  const listeners = new Set<(value: T) => void>()
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    emit: (value) => {
      for (const listener of [...listeners]) listener(value)
    },
    size: () => listeners.size,
  }
}

function webStorage(): WebStorage {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => {
      items.set(key, value)
    },
    removeItem: (key) => {
      items.delete(key)
    },
  }
}
