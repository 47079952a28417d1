import type { Channel } from '../../src/core/environment/environment.js'

/** The latest that a message is, in ms. */
export const LATEST_MS = 20_000

/** What can become of a message between tabs. `late`: after so many ms. */
export type MessageTrouble =
  | { readonly kind: 'message delivered twice' }
  | { readonly kind: 'message late'; readonly ms: number }
  | { readonly kind: 'message lost' }

/** Channels between tabs that do not deliver each message once and at once. */
export interface MessageTroubles {
  /** What becomes of the next messages that arrive anywhere, so many of them. */
  plan(trouble: MessageTrouble, times: number): void
  heal(): void
  /** Whether a message may have been late or lost so far: then a tab knows for sure what it has heard itself. */
  isDeaf(): boolean
  /** The channels of a page. */
  forPage(page: TroubledPage): (open: (name: string) => Channel) => (name: string) => Channel
}

export interface TroubledPage {
  /** Nothing reaches it for now. */
  isAsleep(): boolean
  isGone(): boolean
  onTrouble(kind: MessageTrouble['kind']): void
}

const ASLEEP_MS = 1000

export function createMessageTroubles(later: (callback: () => void, delayMs: number) => void): MessageTroubles {
  let planned: MessageTrouble[] = []
  let isDeaf = false

  function troubled(channel: Channel, page: TroubledPage): Channel {
    let isClosed = false
    return {
      ...channel,
      onMessage: (listener) =>
        channel.onMessage((data) => {
          const trouble = planned.shift()
          if (trouble !== undefined) page.onTrouble(trouble.kind)
          const arrive = () => {
            if (isClosed || page.isGone()) return
            if (page.isAsleep()) later(arrive, ASLEEP_MS)
            else listener(data)
          }
          if (trouble?.kind === 'message late') return later(arrive, trouble.ms)
          if (trouble?.kind === 'message lost') return
          listener(data)
          if (trouble?.kind === 'message delivered twice') listener(structuredClone(data))
        }),
      close: () => {
        isClosed = true
        channel.close()
      },
    }
  }

  return {
    plan: (trouble, times) => {
      isDeaf ||= trouble.kind !== 'message delivered twice'
      planned.push(...Array.from({ length: times }, () => trouble))
    },
    heal: () => {
      planned = []
    },
    isDeaf: () => isDeaf,
    forPage: (page) => (open) => (name) => troubled(open(name), page),
  }
}
