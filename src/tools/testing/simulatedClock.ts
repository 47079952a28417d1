import { mustBe } from '../../core/client/mustBe.js'
import type { Environment } from '../../core/environment/environment.js'
import { nextMacrotask } from '../../server/base/nextMacrotask.js'

/** The clock of a simulated browser. Nothing happens until the test advances the time. */
export interface SimulatedClock {
  /** Returns the wall-clock time, in ms since the epoch. */
  now(): number
  /**
   * Advances the time: runs every timer that becomes due, in order, and the promises that timers resolve. It does not wait
   * for real I/O: answer requests from memory, or `await` them between two steps.
   *
   * @throws {TaskConfigurationError} if `ms` is not finite. So do `sleep` and `setClock`.
   */
  advance(ms: number): Promise<void>
  /** Moves the wall clock forward without running timers, like a machine that sleeps. */
  sleep(ms: number): void
  /**
   * Sets the wall clock forward, or back if `ms` is negative, like a correction of the clock. Timers still fire after the
   * same delay.
   */
  setClock(ms: number): void
  /** Waits for pending promises. */
  settle(): Promise<void>
  /** Returns the number of timers that have not run. */
  pendingTimers(): number
}

/** The clock as pages and their channels see it. */
export interface SharedClock extends SimulatedClock {
  /** The timers of one page. They do not run while it is frozen. */
  forPage(isFrozen: () => boolean): PageTimers
  /** Has everybody who waits for promises wait for this one, too. */
  travel(way: () => Promise<void>): Promise<void>
}

export interface PageTimers extends Pick<Environment, 'setTimeout' | 'clearTimeout'> {
  /** Timers of the page that have not run. */
  size(): number
  /** Clears all timers, and sets no more: the page is gone. */
  releaseAll(): void
}

interface Timer {
  readonly at: number
  readonly id: number
  readonly callback: () => void
  readonly isFrozen: () => boolean
}

/** A clock that stands still. To settle takes so many turns of the event loop. */
export function createSharedClock(startsAt: number, turns: number, nextId: () => number): SharedClock {
  let now = startsAt
  /** What the wall clock was set forward by. Timers do not know of it. */
  let correction = 0
  /** Messages that are on their way to a page that is awake. */
  let travelling = 0
  const timers = new Map<number, Timer>()

  async function settle(): Promise<void> {
    for (let turn = 0; turn < turns || travelling > 0; turn++) await nextMacrotask()
  }

  function nextTimer(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers.values()) {
      if (timer.at <= until && !timer.isFrozen() && (next === undefined || timer.at < next.at)) next = timer
    }
    return next
  }

  function forPage(isFrozen: () => boolean): PageTimers {
    const own = new Set<number>()
    let isGone = false
    return {
      setTimeout: (callback, delayMs) => {
        const id = nextId()
        const run = () => {
          own.delete(id)
          callback()
        }
        if (isGone) return id
        timers.set(id, { at: now + Math.max(0, delayMs), id, callback: run, isFrozen })
        own.add(id)
        return id
      },
      clearTimeout: (handle) => {
        timers.delete(handle as number)
        own.delete(handle as number)
      },
      size: () => own.size,
      releaseAll: () => {
        isGone = true
        for (const id of own) timers.delete(id)
      },
    }
  }

  return {
    now: () => now + correction,
    advance: async (ms) => {
      expectTime('advance', ms)
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
      expectTime('sleep', ms)
      now += ms
    },
    setClock: (ms) => {
      expectTime('setClock', ms)
      correction += ms
    },
    settle,
    pendingTimers: () => timers.size,
    forPage,
    travel: async (way) => {
      travelling += 1
      await way()
      travelling -= 1
    },
  }
}

function expectTime(name: string, ms: number): void {
  if (!Number.isFinite(ms)) throw mustBe(`The time of ${name}()`, ms, 'a finite number of ms')
}
