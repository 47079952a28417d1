import { PING, PONG, TAKEN } from '../wire/messages.js'
import type { Feed } from './feed.js'
import { createNewsWriter, type NewsWriterOptions } from './newsWriter.js'

/** The backend's side of the WebSocket of a page, which is open: of any host. */
export interface BridgeSocket {
  send(data: string): unknown
  close(code?: number, reason?: string): unknown
  /**
   * How many bytes wait in the socket, where the host says it, as browsers, Deno and `ws` do. If you wrap a socket, pass it on: else a page
   * that says it has read what it has not is believed.
   */
  readonly bufferedAmount?: number | undefined
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
 * The news of a feed by a WebSocket. Not every host says how much waits in its socket, and what waits on the way it does not know, so the
 * page says of each message that it has taken it. A page that lies is held to what the host says.
 */
export function createNewsSocket(feed: Feed, socket: BridgeSocket, options: NewsSocketOptions): OpenSocket {
  const encoder = new TextEncoder()
  /** The bytes of each message that the page has not taken yet. */
  const waiting: number[] = []
  const { highWaterMark } = options
  let untaken = 0
  const roomInSocket = () => highWaterMark - (socket.bufferedAmount ?? 0)

  const writer = createNewsWriter(
    feed,
    {
      room: () => Math.min(highWaterMark - untaken, roomInSocket()),
      send: ({ text }) => {
        const { byteLength } = encoder.encode(text)
        waiting.push(byteLength)
        untaken += byteLength
        socket.send(text)
      },
      close: () => socket.close(RESTARTED),
      cut: () => socket.close(SLOW),
    },
    options,
  )

  return {
    onMessage(data) {
      if (data === PING && roomInSocket() > 0) socket.send(PONG)
      if (data !== TAKEN) return
      untaken -= waiting.shift() ?? 0
      writer.onTaken(waiting.length === 0)
    },
    onClose: writer.release,
  }
}
