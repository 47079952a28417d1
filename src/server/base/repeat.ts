import { type Clock, unrefTimer } from './clock.js'

/**
 * Calls `tick` every `ms`, counted from the end of the call before, until the function that is returned
 * is called. Never a reason for a process to stay alive. `tick` must not throw.
 */
export function repeat(clock: Clock, ms: number, tick: () => Promise<void> | void): () => void {
  let timer: unknown
  let isStopped = false

  function arm(): void {
    timer = clock.setTimeout(() => void run(), ms)
    unrefTimer(timer)
  }

  async function run(): Promise<void> {
    await tick()
    if (!isStopped) arm()
  }

  arm()
  return () => {
    isStopped = true
    clock.clearTimeout(timer)
  }
}
