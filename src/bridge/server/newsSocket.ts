import { PING, PONG, TAKEN } from '../wire/messages.js'
import type { Feed } from './feed.js'
import { createNewsWriter, type NewsWriterOptions } from './newsWriter.js'

/** The backend's side of the WebSocket of a page, which is open: of any host. */
export interface BridgeSocket {
  send(data: string): unknown
  close(code?: number, reason?: string): unknown
}

/** The return value of `openSocket()`: the handlers of a socket. */
export interface OpenSocket {
  /** Call it with each message of the page. */
  onMessage(data: unknown): void
  /** Call it when the page has gone. */
  onClose(): void
}

export interface NewsSocketOptions extends NewsWriterOptions {
  /** How much waits for a slow reader, in bytes. */
  readonly highWaterMark: number
}

/** The codes of a socket's end: the page opens another one after each of them. */
const RESTARTED = 1012
const SLOW = 1013

/**
 * The news of a feed by a WebSocket. No host says alike how much waits in its socket, so the page says of each message that it
 * has taken it.
 */
export function createNewsSocket(feed: Feed, socket: BridgeSocket, options: NewsSocketOptions): OpenSocket {
  const encoder = new TextEncoder()
  /** The bytes of each message that the page has not taken yet. */
  const waiting: number[] = []
  let room = options.highWaterMark

  const writer = createNewsWriter(
    feed,
    {
      room: () => room,
      send: ({ text }) => {
        const { byteLength } = encoder.encode(text)
        waiting.push(byteLength)
        room -= byteLength
        socket.send(text)
      },
      close: () => socket.close(RESTARTED),
      cut: () => socket.close(SLOW),
    },
    options,
  )

  return {
    onMessage(data) {
      if (data === PING) socket.send(PONG)
      if (data !== TAKEN) return
      room += waiting.shift() ?? 0
      writer.onTaken(waiting.length === 0)
    },
    onClose: writer.release,
  }
}
