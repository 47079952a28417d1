import { keepInUse } from '../../core/client/clientInUse.js'
import type { Environment } from '../../core/environment/environment.js'
import { HIGH_WATER_MARK } from '../../server/http/sse.js'
import { LAST_EVENT_ID } from '../wire/messages.js'
import type { Entrance } from './entrance.js'
import { type BridgeSocket, createNewsSocket, type NewsSocketOptions, type OpenSocket } from './newsSocket.js'
import { createNewsStream } from './newsStream.js'
import type { TaskBridgeOptions } from './options.js'
import { NEVER_CACHED, refuse } from './responses.js'
import type { Session } from './session.js'

export interface NewsOpeningOptions extends Pick<TaskBridgeOptions, 'heartbeatMs' | 'highWaterMark' | 'maxStreams'> {
  readonly environment: Environment
  readonly entrance: Entrance
  /** The answer where the app has thrown. */
  readonly failed: (thrown: unknown) => Response
}

/** Opens the streams of pages: as server-sent events, or by the sockets that the host has accepted. */
export interface NewsOpening {
  openStream(session: Session, request: Request): Response
  openSocket(request: Request, socket: BridgeSocket): OpenSocket
}

/** A page takes a stream that was silent for three times as long for dead. It can ask a socket for a sign of life, but not a stream. */
const MAX_STREAM_HEARTBEAT_MS = 15_000

export function createNewsOpening(options: NewsOpeningOptions): NewsOpening {
  const { environment, entrance, maxStreams = 32, heartbeatMs = 15_000, highWaterMark = HIGH_WATER_MARK } = options

  /** The requests whose streams are open. In Node the signal of a request that was collected never aborts. */
  const requests = new Set<Request>()

  /** How news are written to a page that has come so far, or the reason that they are not. */
  function begin(session: Session, request: Request, lastEventId: string | null): NewsSocketOptions | Response {
    if (session.streams >= maxStreams) return refuse(429, `Too many streams are open (${maxStreams}).`)
    session.streams += 1
    const letGo = keepInUse(session.client)
    const onEnd = () => {
      session.streams -= 1
      letGo()
    }
    return {
      ...{ environment, heartbeatMs, highWaterMark, onEnd },
      from: session.feed.readPosition(lastEventId),
      isWelcome: () => entrance.isStillOf(request, session.client),
    }
  }

  return {
    openStream(session, request) {
      const how = begin(session, request, request.headers.get('last-event-id'))
      if (how instanceof Response) return how
      requests.add(request)
      const onEnd = () => {
        requests.delete(request)
        how.onEnd()
      }
      const heartbeatMs = Math.min(how.heartbeatMs, MAX_STREAM_HEARTBEAT_MS)
      const stream = createNewsStream(session.feed, { ...how, heartbeatMs, signal: request.signal, onEnd })
      const headers = { ...NEVER_CACHED, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
      return new Response(stream, { headers })
    },
    openSocket(request, socket) {
      let open: OpenSocket | undefined
      let isGone = false
      const own: OpenSocket = {
        onMessage: (data) => open?.onMessage(data),
        onClose: () => {
          isGone = true
          open?.onClose()
        },
      }

      function write(session: Session): Response | undefined {
        if (isGone) return undefined
        const how = begin(session, request, new URL(request.url).searchParams.get(LAST_EVENT_ID))
        if (how instanceof Response) return how
        open = createNewsSocket(session.feed, socket, how)
        return undefined
      }

      async function start(): Promise<void> {
        await listenTo(socket, own)
        const refused = await entrance.enter(request, write).catch(options.failed)
        if (refused === undefined || isGone) return
        // A browser does not tell a page why a handshake was refused, so the socket says it.
        socket.send(JSON.stringify({ refused: { status: refused.status, ...(await refused.json()) } }))
        socket.close(REFUSED)
      }

      // A socket that cannot be written to any more has closed.
      start().catch(own.onClose)
      return own
    },
  }
}

/** The code of a socket's end if the page may not have it. */
const REFUSED = 1008

/** The `readyState` of a socket that is not open yet, and of one that will tell of its end no longer. */
const CONNECTING = 0
const CLOSING = 2

/** Listens to the events of a socket, where it has those of browsers. Resolves when it can be written to. */
async function listenTo(socket: BridgeSocket, { onMessage, onClose }: OpenSocket): Promise<void> {
  const { addEventListener: listen, readyState } = socket as Partial<WebSocket>
  if (typeof listen !== 'function') return
  if (readyState !== undefined && readyState >= CLOSING) return onClose()
  listen.call(socket, 'message', (event) => onMessage((event as MessageEvent).data))
  listen.call(socket, 'close', onClose)
  // The end of the socket follows. In Node, an error without a listener would end the process.
  listen.call(socket, 'error', () => {})
  if (readyState === CONNECTING) await new Promise((resolve) => listen.call(socket, 'open', resolve))
}
