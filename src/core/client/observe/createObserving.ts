import type { Environment } from '../../environment/environment.js'
import { withoutId } from '../../protocol/text.js'
import { hash } from '../../record/hash.js'
import type { CallChange, CallTap } from '../../run/tap.js'
import type { WirePiece, WireTap } from '../../wire/wireTap.js'
import { withoutSecrets } from '../endpoint.js'
import type { Reports } from '../reports.js'
import type { ObserveOptions, TaskClientObservation } from './events.js'

type Listener = (observation: TaskClientObservation) => void

export interface Observing {
  /** Calls the listener with everything that happens from now on. Returns a function that unsubscribes. */
  observe(listener: Listener, options?: ObserveOptions): () => void
  close(): void
}

export type CreateObserving = (
  tap: CallTap & WireTap,
  environment: Environment,
  reports: Pick<Reports, 'guard' | 'reporting'>,
) => Observing

/**
 * Tells what happens in the client to those who listen. What makes sentences of it is loaded with the first of them;
 * what happens until then is kept and told after it.
 */
export const createObserving: CreateObserving = (tap, environment, { guard, reporting }) => {
  /** With each listener, whether it wants to be told of the wire. */
  const listeners = new Map<Listener, boolean | undefined>()
  let take: ((what: CallChange | WirePiece) => void) | undefined
  let stop: (() => void) | undefined

  function begin(): () => void {
    const kept: (CallChange | WirePiece)[] = []
    let stopWatching: (() => void) | undefined
    let isOver = false
    take = (what) => kept.push(what)
    const onLoad = ({ createObserver }: typeof import('./observer.js')) => {
      if (isOver) return
      const observer = createObserver(environment, { hash, withoutSecrets, withoutId }, (observation) => {
        for (const [listener, wire] of [...listeners]) {
          if (wire || !observation.type.startsWith('wire')) guard(() => listener(observation))
        }
      })
      stopWatching = observer.close
      take = (what) => guard(() => observer.take(what))
      tapIn()
      for (const what of kept) take(what)
    }
    // A page of an earlier deployment, or one without a network, may not get the file. The next `observe()` tries again.
    const onFailure = (error: unknown) => {
      if (!isOver) close()
      tapIn()
      reporting('observe')(error)
    }
    import('./observer.js').then(onLoad, onFailure)
    return () => {
      isOver = true
      take = undefined
      stopWatching?.()
    }
  }

  function tapIn(): void {
    tap.onChange = take
    tap.onWire = [...listeners.values()].includes(true) ? take : undefined
  }

  function close(): void {
    stop?.()
    stop = undefined
  }

  return {
    observe: (listener, options) => {
      // Each subscription is one of its own, also of the same function.
      const own: Listener = (observation) => listener(observation)
      listeners.set(own, options?.wire)
      stop ??= begin()
      tapIn()
      return () => {
        listeners.delete(own)
        if (listeners.size === 0) close()
        tapIn()
      }
    },
    close: () => {
      listeners.clear()
      close()
      tapIn()
    },
  }
}
