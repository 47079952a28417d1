import type { Environment } from 'taskwire'

/** The longest delay that Node holds; it fires at once for anything above. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** What `setTimeout` of Node returns, as far as the SDK uses it. */
class SimulatedTimeout {
  readonly handle: unknown

  constructor(handle: unknown) {
    this.handle = handle
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

/**
 * Puts the timers of the machine on a simulated clock: the SDK's own timeouts know no other. Returns a function
 * that gives the machine its timers back.
 */
export function simulateMachineTimers(clock: Pick<Environment, 'setTimeout' | 'clearTimeout'>): () => void {
  const { setTimeout, clearTimeout } = globalThis
  const simulated = {
    setTimeout: (callback: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
      const delay = delayMs >= 1 && delayMs <= MAX_DELAY_MS ? delayMs : 1
      return new SimulatedTimeout(clock.setTimeout(() => callback(...args), delay))
    },
    clearTimeout: (timeout: unknown) => {
      if (timeout instanceof SimulatedTimeout) clock.clearTimeout(timeout.handle)
      else clearTimeout(timeout as Parameters<typeof clearTimeout>[0])
    },
  }
  Object.assign(globalThis, simulated)
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout })
  }
}
