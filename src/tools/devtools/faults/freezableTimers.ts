import type { Environment, TimerHandle } from '../../../core/environment/environment.js'

type Timers = Pick<Environment, 'setTimeout' | 'clearTimeout'>

interface Timer {
  handle: TimerHandle
  readonly callback: () => void
}

/** Timers that can be made to stand still. Those that are due meanwhile run when they are let go on, each in a task of its own. */
export function freezableTimers(page: Timers): Timers & { setFrozen(isFrozen: boolean): void } {
  const due = new Set<Timer>()
  let isFrozen = false

  function arm(timer: Timer, delayMs: number): void {
    timer.handle = page.setTimeout(() => {
      if (isFrozen) due.add(timer)
      else timer.callback()
    }, delayMs)
  }

  return {
    setTimeout: (callback, delayMs) => {
      const timer: Timer = { handle: undefined, callback }
      arm(timer, delayMs)
      return timer
    },
    clearTimeout: (handle) => {
      const timer = handle as Timer | undefined
      if (timer === undefined) return
      page.clearTimeout(timer.handle)
      due.delete(timer)
    },
    setFrozen: (frozen) => {
      isFrozen = frozen
      if (frozen) return
      for (const timer of due) arm(timer, 0)
      due.clear()
    },
  }
}
