import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { isJsonObject, parseJson } from '../../core/protocol/json.js'
import { onAbort } from '../../core/time/abort.js'
import { LAST_EVENT_ID, PING, PONG, takenText } from '../wire/messages.js'
import { type BridgeCarrier, type CarriedNews, positionText, SILENCE_MS } from './carrier.js'
import { type Refusal, refusalFrom, unreachable } from './requests.js'

/** The part of a `WebSocket` that the page uses. */
export interface PageWebSocket {
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void
  send(data: string): void
  close(): void
}

/** Options of {@link webSocket}. */
export interface WebSocketCarrierOptions {
  /** The class that opens sockets. @default the global `WebSocket` */
  WebSocket?: new (
    url: string,
  ) => PageWebSocket
}

/** A socket that was quiet for this long is asked for a sign of life, and has as long to give one, in ms. */
const QUIET_MS = SILENCE_MS / 2

/**
 * A carrier that brings changes over a WebSocket instead of server-sent events, for backends that accept WebSockets. The
 * page still sends its actions as requests, each with the user's cookies. Its counterpart is `openSocket()` of
 * `createTaskBridge`.
 *
 * @example
 * ```ts
 * import { createTaskClient, webSocket } from 'taskwire/bridge'
 *
 * const client = createTaskClient({ url: '/api/calls', carrier: webSocket() })
 * ```
 */
export function webSocket(options: WebSocketCarrierOptions = {}): BridgeCarrier {
  return {
    // Looked up when it is needed: a page may be made on a server that has none.
    carry: async (news) => {
      const Socket = options.WebSocket ?? (typeof WebSocket === 'undefined' ? undefined : WebSocket)
      if (Socket === undefined)
        throw new TaskConfigurationError(
          "This platform has no WebSocket. Pass one to the carrier: webSocket({ WebSocket }), for example that of the package 'ws'.",
        )
      return follow(new Socket(addressOf(news)), news)
    },
  }
}

function addressOf({ url, position }: CarriedNews): string {
  const address = new URL(url())
  address.protocol = address.protocol.replace('http', 'ws')
  if (position !== undefined) address.searchParams.set(LAST_EVENT_ID, positionText(position))
  return address.href
}

function follow(
  socket: PageWebSocket,
  { environment, abort, onMessage, onAlive }: CarriedNews,
): Promise<Refusal | undefined> {
  return new Promise((resolve, reject) => {
    let isOpen = false
    let refusal: Refusal | undefined
    let timer: unknown
    let stopListening = () => {}

    function after(ms: number, then: () => void): void {
      environment.clearTimeout(timer)
      timer = environment.setTimeout(then, ms)
    }

    /** Timers of a hidden page are late, so the answer to a ping has its time from when that was sent. */
    function watch(): void {
      after(QUIET_MS, () => {
        socket.send(PING)
        after(QUIET_MS, end)
      })
    }

    function end(): void {
      environment.clearTimeout(timer)
      stopListening()
      abort.abort()
      socket.close()
      if (isOpen) resolve(refusal)
      else reject(unreachable())
    }

    after(SILENCE_MS, end)
    stopListening = onAbort(abort.signal, end)
    socket.addEventListener('close', end)
    socket.addEventListener('error', end)
    socket.addEventListener('open', () => {
      isOpen = true
      watch()
    })
    socket.addEventListener('message', ({ data }) => {
      if (abort.signal.aborted) return
      watch()
      if (data === PONG) return onAlive()
      const message = parseJson(String(data))
      const { refused, take } = isJsonObject(message) ? message : {}
      if (isJsonObject(refused)) {
        refusal = refusalFrom(Number(refused['status']), refused)
        return end()
      }
      onMessage(message)
      if (!abort.signal.aborted) socket.send(takenText(take))
    })
  })
}
