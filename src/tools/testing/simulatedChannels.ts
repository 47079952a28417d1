import type { Channel } from '../../core/environment/environment.js'
import { nextMacrotask } from '../../server/base/nextMacrotask.js'
import { eventSource } from './eventSource.js'
import type { SharedClock } from './simulatedClock.js'

/** The BroadcastChannels of one simulated browser. */
export interface SimulatedChannels {
  /** The channels of one page. Messages for it wait for `arrival`. */
  forPage(arrival: () => Promise<void>): PageChannels
}

export interface PageChannels {
  open(name: string): Channel
  /** Channels of the page that have not been closed. */
  size(): number
  /** Closes all channels, and opens no more: the page is gone. */
  releaseAll(): void
}

export function createSimulatedChannels({ travel }: SharedClock): SimulatedChannels {
  const channels = new Set<{ readonly name: string; deliver(message: unknown): void }>()

  return {
    forPage: (arrival) => {
      const own = new Set<Channel>()
      let isGone = false
      return {
        open: (name) => {
          const listeners = eventSource<unknown>()
          let last = Promise.resolve()
          const channel = {
            name,
            // One after the other, each in a turn of its own, also those that have waited for a frozen page.
            deliver: (message: unknown) => {
              last = last
                .then(() => travel(nextMacrotask))
                .then(arrival)
                .then(() => {
                  if (own.has(opened)) listeners.emit(message)
                })
            },
          }
          const opened: Channel = {
            postMessage: (message) => {
              if (isGone) return
              if (!own.has(opened)) throw new DOMException('Channel is closed', 'InvalidStateError')
              for (const other of channels)
                if (other !== channel && other.name === name) other.deliver(structuredClone(message))
            },
            onMessage: listeners.subscribe,
            close: () => {
              channels.delete(channel)
              own.delete(opened)
            },
          }
          if (isGone) return opened
          channels.add(channel)
          own.add(opened)
          return opened
        },
        size: () => own.size,
        releaseAll: () => {
          isGone = true
          for (const channel of [...own]) channel.close()
        },
      }
    },
  }
}
