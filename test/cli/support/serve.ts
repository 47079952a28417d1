import type { RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { nodeHandler } from '../../../demo/server/nodeHandler.js'
import { freePort } from '../../support/freePort.js'
import { listen } from '../../support/listen.js'

type Fetch = (request: Request) => Promise<Response>

/** Serves a fetch handler over real HTTP on a free port of this machine until the test ends. Resolves to its URL. */
export function serve(fetch: Fetch): Promise<string> {
  return serveNode(nodeHandler({ fetch }))
}

/** The same for a handler of Node. */
export async function serveNode(listener: RequestListener, tls?: { key: string; cert: string }): Promise<string> {
  const { origin, close } = await listen(listener, tls)
  onTestFinished(close)
  return `${origin}/mcp`
}

/** A URL of this machine at which nothing listens. */
export async function freedUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/mcp`
}
