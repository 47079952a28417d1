import type { TaskClientStore } from '../../core/client/createStore.js'
import type { Environment } from '../../core/environment/environment.js'
import { asError } from '../../core/protocol/asError.js'
import { connectionOf } from './connectionOf.js'
import type { LinkStatus } from './link.js'
import type { Mirror } from './mirror.js'

export interface StandingOptions {
  readonly environment: Pick<Environment, 'isOnline'>
  readonly store: Pick<TaskClientStore, 'setConnection'>
  readonly mirror: Pick<Mirror, 'connection'>
  /** Called with why the backend cannot be heard. */
  readonly onError: (error: Error) => void
  /** Called when the news begin to come, or cease to. */
  readonly onChange: () => void
}

/** How a page stands with its backend, and who waits for it. */
export interface Standing {
  set(status: LinkStatus): void
  /** Notes that the client has begun to listen. */
  begin(): void
  /** Notes that news have come. */
  heard(isConnectionNew: boolean): void
  /** What keeps the news from coming; undefined where they come. */
  network(): 'retrying' | 'offline' | undefined
  /** Resolves when the news come. `isAsked`: rejects where the backend refuses. */
  untilHeard(isAsked: boolean): Promise<void>
  close(reason: Error): void
}

export function createStanding({ environment, store, mirror, onError, onChange }: StandingOptions): Standing {
  let status: LinkStatus | undefined
  let isBegun = false
  let closed: Error | undefined
  const waiting = new Set<{ readonly resolve: () => void; readonly reject: (error: Error) => void }>()

  function show(): void {
    store.setConnection(connectionOf(status ?? (isBegun ? { isLive: false } : undefined), mirror.connection, !!closed))
  }

  function set(next: LinkStatus): void {
    const before = status
    status = next
    const { refused, error, isLive } = next
    if (error !== undefined && error.message !== before?.error?.message) onError(error)
    if (refused !== undefined) for (const { reject } of [...waiting]) reject(asError(error))
    if (isLive && before?.isLive) return
    show()
    onChange()
  }

  return {
    set,
    begin: () => {
      if (isBegun) return
      isBegun = true
      show()
    },
    heard: (isConnectionNew) => {
      if (!status?.isLive) set({ isLive: true })
      else if (isConnectionNew) show()
      for (const { resolve } of [...waiting]) resolve()
      waiting.clear()
    },
    network: () => {
      if (status?.isLive) return undefined
      if (!environment.isOnline()) return 'offline'
      return status === undefined ? undefined : 'retrying'
    },
    untilHeard: (isAsked) => {
      if (closed !== undefined) return Promise.reject(closed)
      if (status?.isLive) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const waiter = {
          resolve,
          reject: (error: Error) => {
            // What waits for the calls of earlier visits waits for the sign-in, too.
            if (!isAsked && closed === undefined) return
            waiting.delete(waiter)
            reject(error)
          },
        }
        waiting.add(waiter)
      })
    },
    close: (reason) => {
      closed = reason
      for (const { reject } of [...waiting]) reject(reason)
      show()
    },
  }
}
