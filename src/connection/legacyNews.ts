import type { ListenHooks } from '../call/taskPort.js'
import type { Environment, TimerHandle } from '../environment/environment.js'
import type { DetailedTask } from '../protocol/task.js'
import { createSharedPolls, type SharedPolls } from './sharedPolls.js'

/**
 * What is new with tasks of 2025-11-25. That revision promises no news, so no task is acknowledged to
 * whoever listens and polling goes on; what a server says all the same is a hint to poll now.
 */
export interface LegacyNews extends Pick<SharedPolls, 'poll'> {
  listen(taskIds: readonly string[], hooks: ListenHooks): Promise<void>
  /** Something is new: polls now, or as soon as what is under way is over and the interval allows. */
  hint(id: string): void
  /** Tells those who listen. */
  tell(snapshot: DetailedTask): void
  forget(id: string): void
}

export interface LegacyNewsOptions {
  readonly send: (id: string, signal: AbortSignal) => Promise<DetailedTask>
  /** No hint makes a task be polled more often than this, in ms. */
  readonly hintIntervalMs: number
  readonly environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>
}

export function createLegacyNews({ send, hintIntervalMs, environment }: LegacyNewsOptions): LegacyNews {
  const listeners = new Set<{ readonly ids: ReadonlySet<string>; readonly hooks: ListenHooks }>()
  const timers = new Map<string, TimerHandle>()
  /** Tasks with something new since their last poll went out. */
  const hinted = new Set<string>()

  const polls = createSharedPolls({
    send,
    now: environment.now,
    onOver: (id) => {
      if (hinted.delete(id)) schedule(id)
    },
  })

  function schedule(id: string): void {
    environment.clearTimeout(timers.get(id))
    const earliest = (polls.lastAt(id) ?? Number.NEGATIVE_INFINITY) + hintIntervalMs
    const delayMs = Math.max(0, earliest - environment.now())
    timers.set(
      id,
      environment.setTimeout(() => void refresh(id), delayMs),
    )
  }

  function poll(id: string, signal: AbortSignal | undefined): Promise<DetailedTask> {
    if (!polls.isUnderWay(id)) hinted.delete(id)
    return polls.poll(id, signal)
  }

  async function refresh(id: string): Promise<void> {
    timers.delete(id)
    const listener = [...listeners].find(({ ids }) => ids.has(id))
    if (listener === undefined) return void hinted.add(id)
    try {
      tell(await poll(id, listener.hooks.signal))
    } catch {
      // A hint is no more than that; the next poll says what is the case.
    }
  }

  function tell(snapshot: DetailedTask): void {
    for (const { ids, hooks } of [...listeners]) {
      if (ids.has(snapshot.taskId)) hooks.onTask(snapshot)
    }
  }

  return {
    poll,
    tell,
    hint: (id) => {
      if (polls.isUnderWay(id)) hinted.add(id)
      else schedule(id)
    },
    listen: (taskIds, hooks) =>
      new Promise((resolve) => {
        const listener = { ids: new Set(taskIds), hooks }
        const over = () => {
          listeners.delete(listener)
          resolve()
        }
        if (hooks.signal.aborted) return over()
        listeners.add(listener)
        for (const id of taskIds) if (hinted.has(id) && !polls.isUnderWay(id)) schedule(id)
        hooks.signal.addEventListener('abort', over, { once: true })
      }),
    forget: (id) => {
      environment.clearTimeout(timers.get(id))
      timers.delete(id)
      hinted.delete(id)
      polls.forget(id)
    },
  }
}
