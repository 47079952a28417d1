import type { Environment } from '../environment/environment.js'
import { onAbort } from './abort.js'

/** Lets work go on while somebody watches. */
export interface WatchGate {
  /** Says that somebody watches. Returns the way back. */
  watch(): () => void
  /** Runs `work` to its end; where nobody watches any more it is aborted, and begun again with the next watcher. */
  whileWatched<T>(work: (signal: AbortSignal) => Promise<T>, onIdle: () => void): Promise<T>
  /** Aborts the work and begins it again. */
  restart(): void
}

/** A gate that is always open, or open while it is watched. Aborting `life` ends the work for good. */
export function watchGate(environment: Environment, isAlwaysOpen: boolean, life: AbortSignal): WatchGate {
  const watchers = new Set<symbol>()
  let turn = new AbortController()
  let wake = () => {}
  const isOpen = () => isAlwaysOpen || watchers.size > 0
  life.addEventListener('abort', () => wake(), { once: true })

  return {
    watch: () => {
      const watcher = Symbol('watcher')
      watchers.add(watcher)
      wake()
      return () => {
        if (!watchers.has(watcher)) return
        // A component that unmounts and mounts again in the same breath has not gone away.
        environment.setTimeout(() => {
          if (watchers.delete(watcher) && !isOpen()) turn.abort()
        }, 0)
      }
    },

    restart: () => turn.abort(),

    whileWatched: async (work, onIdle) => {
      for (;;) {
        life.throwIfAborted()
        if (!isOpen()) {
          onIdle()
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          continue
        }
        turn = new AbortController()
        const { signal } = turn
        const release = onAbort(life, () => turn.abort(life.reason))
        try {
          return await work(signal)
        } catch (error) {
          if (!signal.aborted) throw error
        } finally {
          release()
        }
      }
    },
  }
}
