import type { Environment, Unsubscribe, WebStorage } from '../environment/environment.js'

export interface SimulatedEnvironmentOptions {
  /** The time it starts at, ms since the epoch. @default 2026-07-28T00:00:00Z */
  now?: number
  /** What `random()` returns, in [0, 1). @default 0.5 */
  random?: () => number
}

/** A page whose time, network and visibility the test decides. */
export interface SimulatedEnvironment {
  /** Pass it as `environment` to `createTaskClient`. */
  readonly environment: Environment
  /** The time of the page, ms since the epoch. */
  now(): number
  /**
   * Lets time pass: runs every timer that falls due, in order, and whatever promises they set off. It does
   * not wait for real I/O; answer requests from memory, or `await` them between two steps.
   */
  advance(ms: number): Promise<void>
  /** Moves the clock without running timers, as a machine that sleeps does. */
  sleep(ms: number): void
  /** Waits for the promises that are under way. */
  settle(): Promise<void>
  setOnline(online: boolean): Promise<void>
  setVisible(visible: boolean): Promise<void>
  /** Fires `pagehide`. */
  hidePage(): Promise<void>
  /** Fires `pageshow`. */
  showPage(): Promise<void>
  /** Timers that have not run. */
  pendingTimers(): number
  /** Listeners that have not been taken away. */
  listeners(): number
}

interface Timer {
  readonly at: number
  readonly id: number
  readonly callback: () => void
}

/**
 * An environment for tests in which nothing happens until the test says so.
 *
 * @example
 * ```ts
 * const page = createSimulatedEnvironment()
 * const client = createTaskClient({ url, environment: page.environment })
 * const call = client.startToolCall({ name: 'generate_report' })
 * await page.advance(5000)
 * ```
 */
export function createSimulatedEnvironment(options: SimulatedEnvironmentOptions = {}): SimulatedEnvironment {
  let now = options.now ?? Date.UTC(2026, 6, 28)
  let online = true
  let visible = true
  let sequence = 0
  const timers = new Map<number, Timer>()
  const events = { online: eventSource(), visibility: eventSource(), pagehide: eventSource(), pageshow: eventSource() }
  const storages = { local: webStorage(), session: webStorage() }

  const environment: Environment = {
    now: () => now,
    setTimeout: (callback, delayMs) => {
      const id = ++sequence
      timers.set(id, { at: now + Math.max(0, delayMs), id, callback })
      return id
    },
    clearTimeout: (handle) => {
      timers.delete(handle as number)
    },
    random: options.random ?? (() => 0.5),
    randomId: () => `id-${++sequence}`,
    fetch: (url, init) => globalThis.fetch(url, init),
    baseUrl: () => 'http://localhost/',
    isOnline: () => online,
    onOnlineChange: events.online.subscribe,
    isVisible: () => visible,
    onVisibilityChange: events.visibility.subscribe,
    onPageHide: events.pagehide.subscribe,
    onPageShow: events.pageshow.subscribe,
    storage: (kind) => storages[kind],
    locks: undefined,
    channel: undefined,
  }

  function nextTimer(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers.values()) {
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer
    }
    return next
  }

  async function fire(source: EventSource): Promise<void> {
    source.emit()
    await settle()
  }

  return {
    environment,
    now: () => now,
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
    settle,
    setOnline: (value) => {
      online = value
      return fire(events.online)
    },
    setVisible: (value) => {
      visible = value
      return fire(events.visibility)
    },
    hidePage: () => fire(events.pagehide),
    showPage: () => fire(events.pageshow),
    pendingTimers: () => timers.size,
    listeners: () => Object.values(events).reduce((sum, event) => sum + event.size(), 0),
  }
}

/** Turns of the event loop that a request answered from memory may take, bodies and validation included. */
const TURNS = 8

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await macrotask()
}

function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}

interface EventSource {
  subscribe(listener: () => void): Unsubscribe
  emit(): void
  size(): number
}

function eventSource(): EventSource {
  const listeners = new Set<() => void>()
  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    emit: () => {
      for (const listener of [...listeners]) listener()
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
