import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { nodeHandler } from '../../../demo/server/nodeHandler.js'
import { freePort } from '../../support/freePort.js'

type Fetch = (request: Request) => Promise<Response>

/** Serves a fetch handler over real HTTP on a free port of this machine until the test ends. Resolves to its URL. */
export function serve(fetch: Fetch): Promise<string> {
  return serveNode(nodeHandler({ fetch }))
}

/** The same for a handler of Node. */
export async function serveNode(listener: RequestListener, tls?: { key: string; cert: string }): Promise<string> {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo
  return `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}/mcp`
}

/** A URL of this machine at which nothing listens. */
export async function freedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/mcp`
}
