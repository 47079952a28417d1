import type { Channel } from '../../../core/environment/environment.js'
import type { Bus } from './bus.js'

/**
 * Channels over a bus, as pages have them: what is posted reaches every other channel of the name, in whatever process. What
 * is posted is JSON.
 */
export function createChannels(bus: Bus, randomId: () => string): (name: string) => Channel {
  return (name) => {
    const id = randomId()
    const listeners = new Set<(message: unknown) => void>()
    const { isOpen, stop } = bus.subscribe(`channel:${name}`, (text) => {
      const message = parse(text)
      if (message === undefined || message.from === id) return
      for (const listener of [...listeners]) listener(message.message)
    })
    return {
      // Not before this channel listens: it would miss the answers.
      postMessage: (message) => {
        const text = JSON.stringify({ from: id, message })
        void isOpen.then(() => bus.publish(`channel:${name}`, text))
      },
      onMessage: (listener) => {
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
        }
      },
      close: stop,
    }
  }
}

function parse(text: string): { readonly from: unknown; readonly message: unknown } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
