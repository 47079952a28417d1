import type { Channel, Environment } from '../environment/environment.js'
import { decodeTabMessage, encodeTabMessage, type TabMessage } from './tabMessages.js'

/** The channel of this tab to the others, while the page is here. */
export interface TabChannel {
  connect(): void
  disconnect(): void
  isConnected(): boolean
  post(message: TabMessage): void
}

export function createTabChannel(
  open: () => Channel,
  now: Environment['now'],
  receive: (message: TabMessage) => void,
): TabChannel {
  let channel: Channel | undefined
  return {
    connect: () => {
      if (channel !== undefined) return
      channel = open()
      channel.onMessage((data) => {
        const message = decodeTabMessage(data, now())
        if (message !== undefined) receive(message)
      })
    },
    disconnect: () => {
      channel?.close()
      channel = undefined
    },
    isConnected: () => channel !== undefined,
    post: (message) => channel?.postMessage(encodeTabMessage(message)),
  }
}
