import type { TaskServer, TaskServerOptions, TaskStore } from 'taskwire/server'
import { createCuttableStore } from './cuttableStore.js'

/** What a request meets whose server is not there, or goes away before it has answered. */
export class ConnectionBrokenError extends Error {
  override readonly name = 'ConnectionBrokenError'
  constructor() {
    super('Failed to reach the MCP server: it is not there.')
  }
}

/** An MCP server that can be killed like a process: at once, and with nothing handed over. */
export interface KillableServer extends Pick<TaskServer, 'fetch'> {
  /**
   * Breaks every connection, cuts the server off from its store and stops its tools. What it has written stays; what it was
   * at work on is found by the next server over the same store, once its leases are over.
   */
  kill(): void
  close(): Promise<void>
}

/** What a server gets that can be killed. */
export type KillableServerParts = Required<Pick<TaskServerOptions, 'store' | 'onError'>>

/**
 * A server over a store that outlives it.
 *
 * @param create makes the server, over its own connection to the store
 */
export function createKillableServer(
  store: Required<Omit<TaskStore, 'createUnlessFull' | 'list'>>,
  create: (parts: KillableServerParts) => TaskServer,
): KillableServer {
  const connection = createCuttableStore(store)
  const death = new AbortController()
  const { signal } = death
  const broken = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // Most of the time nobody waits for a response when it happens.
  broken.catch(() => {})
  const server = create({
    store: connection.store,
    onError(error, { source }) {
      // A server that was killed finds that nothing works any more, and clients know what they were refused for.
      if (!signal.aborted && source !== 'request') console.error(error)
    },
  })

  return {
    async fetch(request, options) {
      const response = await Promise.race([server.fetch(request, options), broken])
      return breakable(response, signal)
    },
    kill() {
      connection.cut()
      death.abort(new ConnectionBrokenError())
      // Ends its timers and its tools. All else that a server does when it closes needs the store.
      void server.close()
    },
    close: () => server.close(),
  }
}

/** The same response, whose body fails where the signal aborts before its end. */
function breakable(response: Response, signal: AbortSignal): Response {
  if (response.body === null) return response
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  // Rejects where either side has gone away, which is what both are told by it.
  response.body.pipeTo(writable, { signal }).catch(() => {})
  return new Response(readable, response)
}
