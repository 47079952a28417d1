import type { Environment } from '../../core/environment/environment.js'
import { PING, PONG, takenText } from '../wire/messages.js'
import type { Feed } from './feed.js'
import { createNewsWriter, type NewsWriterOptions } from './newsWriter.js'

/** The backend's side of a page's WebSocket, on any runtime. */
export interface BridgeSocket {
  /** May throw where the socket has closed, or is not open yet: the bridge lets go of it then. */
  send(data: string): unknown
  close(code?: number, reason?: string): unknown
}

/** The return value of `openSocket()`: the handlers of a socket. */
export interface OpenSocket {
  /** Call it with each message of the page. */
  onMessage(data: unknown): void
  /** Call it when the socket has closed. */
  onClose(): void
}

export interface NewsSocketOptions extends NewsWriterOptions {
  readonly environment: NewsWriterOptions['environment'] & Pick<Environment, 'randomId'>
  /** How much waits for a slow reader, in bytes. */
  readonly highWaterMark: number
}

/** The codes of a socket's end: the page opens another one after each of them. */
const RESTARTED = 1012
const SLOW = 1013

/** How often a page is given a sign of life, in ms: one that only asks has nothing waiting for it. */
const PONG_MS = 1000
/** The length of the word that a page cannot know before it has read the message. */
const WORD_LENGTH = 8

/**
 * The news of a feed by a WebSocket. No host knows what waits on the way, and some do not say what waits in their socket. So each message
 * has a word of its own, by which the page says that it has taken it: one that has not read the message cannot say so.
 */
export function createNewsSocket(feed: Feed, socket: BridgeSocket, options: NewsSocketOptions): OpenSocket {
  const encoder = new TextEncoder()
  /** The messages that the page has not taken yet: their bytes, and what it says once it has. */
  const waiting: { readonly byteLength: number; readonly taken: string; readonly sentAt: number }[] = []
  const { highWaterMark, heartbeatMs, environment } = options
  let untaken = 0
  let pongAt = Number.NEGATIVE_INFINITY

  /** True if the page has taken nothing for as long as there is between two signs of life. */
  const isSilent = () => waiting[0] !== undefined && environment.now() - waiting[0].sentAt >= heartbeatMs

  const writer = createNewsWriter(
    feed,
    {
      room: () => (isSilent() ? Math.min(0, highWaterMark - untaken) : highWaterMark - untaken),
      send: ({ text }) => {
        const take = environment.randomId().slice(-WORD_LENGTH)
        const message = `${text.slice(0, -1)},"take":"${take}"}`
        const { byteLength } = encoder.encode(message)
        waiting.push({ byteLength, taken: takenText(take), sentAt: environment.now() })
        untaken += byteLength
        socket.send(message)
      },
      close: () => socket.close(RESTARTED),
      cut: () => socket.close(SLOW),
    },
    options,
  )

  return {
    onMessage(data) {
      const [next] = waiting
      if (data === PING && Math.abs(environment.now() - pongAt) >= PONG_MS) {
        pongAt = environment.now()
        try {
          socket.send(PONG)
        } catch {
          writer.release()
        }
      }
      if (next === undefined || data !== next.taken) return
      waiting.shift()
      untaken -= next.byteLength
      writer.onTaken(waiting.length === 0)
    },
    onClose: writer.release,
  }
}
