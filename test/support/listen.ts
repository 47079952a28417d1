import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/** A handler of Node that is served over real HTTP. */
export interface Listening {
  /** Without a slash at its end: `http://127.0.0.1:40000`. */
  readonly origin: string
  /** Calls the listener with the requests for WebSockets. */
  onUpgrade(listener: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void
  /** Cuts the connections that are open. */
  close(): Promise<void>
}

/** Serves a handler of Node on a free port of this machine. */
export async function listen(listener: RequestListener, tls?: { key: string; cert: string }): Promise<Listening> {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}`,
    onUpgrade: (listener) => void server.on('upgrade', listener),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
