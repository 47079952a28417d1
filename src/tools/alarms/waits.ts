import type { Environment, TimerHandle } from '../../core/environment/environment.js'

/** The timers of a client, sorted by whether something is under way. */
export interface Waits {
  /** The environment for the client: timeouts of requests run, and waits are only noted. */
  readonly environment: Environment
  /** When the first wait is over, ms since the epoch. */
  firstAt(): number | undefined
  /** True while a request, a write or a turn of the client is under way. */
  isBusy(): boolean
  /** Counts as under way until the promise settles. */
  hold<T>(work: Promise<T>): Promise<T>
  /** Counts this turn as under way. */
  stir(): void
  /** Ends the waits that are over. True if there were any. */
  wake(): boolean
  /** Resolves when nothing is under way any more, or there may be a wait that is over; where nothing is under way, in a turn of its own. */
  change(): Promise<void>
  /** Fires `pagehide`: the client writes what it knows. */
  hide(): void
}

interface Wait {
  readonly callback: () => void
  readonly at: number
}

/** Between two looks at the clock while something is under way, in ms. */
const MAX_NAP_MS = 30_000

/**
 * Sorts timers by their third argument. One with a time is a wait: the client has nothing to do until then. Any other one belongs
 * to something that is under way, so it runs, and while there is one the host must not sleep.
 */
export function createWaits(host: Environment): Waits {
  const waits = new Map<object, Wait>()
  const running = new Map<object, TimerHandle>()
  const onHide = new Set<() => void>()
  let held = 0
  let changed = () => {}

  const isBusy = () => running.size > 0 || held > 0

  function firstAt(): number | undefined {
    let first: number | undefined
    for (const { at } of waits.values()) if (first === undefined || at < first) first = at
    return first
  }

  function run(handle: object, callback: () => void, delayMs: number): void {
    const timer = host.setTimeout(() => {
      stop(handle)
      callback()
    }, delayMs)
    running.set(handle, timer)
  }

  function stop(handle: object): void {
    running.delete(handle)
    if (!isBusy()) changed()
  }

  return {
    environment: {
      ...host,
      // Getters of the page, which a copy would call.
      locks: undefined,
      channel: undefined,
      setTimeout: (callback, delayMs, wakeAt) => {
        const handle = {}
        if (wakeAt === undefined) run(handle, callback, delayMs)
        else {
          waits.set(handle, { callback, at: wakeAt })
          changed()
        }
        return handle
      },
      clearTimeout: (handle) => {
        if (typeof handle !== 'object' || handle === null) return
        waits.delete(handle)
        if (!running.has(handle)) return
        host.clearTimeout(running.get(handle))
        stop(handle)
      },
      onPageHide: (listener) => {
        const stopListening = host.onPageHide(listener)
        onHide.add(listener)
        return () => {
          stopListening()
          onHide.delete(listener)
        }
      },
    },

    firstAt,
    isBusy,

    hold: async (work) => {
      held += 1
      try {
        return await work
      } finally {
        held -= 1
        if (!isBusy()) changed()
      }
    },

    stir: () => run({}, () => {}, 0),

    wake: () => {
      const now = host.now()
      const over = [...waits].filter(([, { at }]) => at <= now).sort(([, a], [, b]) => a.at - b.at)
      for (const [handle, { callback }] of over) {
        waits.delete(handle)
        // In a turn of its own, as a timer: what it throws ends nothing else.
        run(handle, callback, 0)
      }
      return over.length > 0
    },

    change: () =>
      new Promise((resolve) => {
        const end = () => {
          changed = () => {}
          host.clearTimeout(timer)
          resolve()
        }
        // A machine that sleeps stops its timers, so the clock is looked at now and then.
        const dueInMs = Math.min(MAX_NAP_MS, (firstAt() ?? Number.POSITIVE_INFINITY) - host.now())
        const timer = host.setTimeout(end, isBusy() ? Math.max(0, dueInMs) : 0)
        if (isBusy()) changed = end
      }),

    hide: () => {
      for (const listener of [...onHide]) listener()
    },
  }
}
