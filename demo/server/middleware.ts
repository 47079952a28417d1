import { InMemoryTaskStore } from 'taskwire/server'
import { createDemoServer } from './demoServer.js'
import { createLegacyServer } from './legacyServer.js'
import { type NodeHandler, nodeHandler } from './nodeHandler.js'
import { createRequestLog } from './requestLog.js'

/** What the development server of the demo answers by itself. */
export interface DemoMiddleware {
  /** The MCP endpoint. */
  readonly mcp: NodeHandler
  /** The same for clients of MCP 2025-11-25. */
  readonly legacy: NodeHandler
  /** `GET` reads the log of MCP requests, `DELETE` empties it. The tests count with it. */
  readonly requests: NodeHandler
  /** `POST` restarts the MCP server. For two seconds nothing is served; then the work of its tasks goes on. */
  readonly restart: NodeHandler
  close(): Promise<void>
}

/** Keeps tasks as a database does that several processes share, so that the server that comes next finds them. */
class LastingTaskStore extends InMemoryTaskStore {
  override readonly isShared = true
}

const DOWN_MS = 2000
/** Short, so that work is taken up soon after a restart. */
const LEASE_MS = 2000

export function createMiddleware(): DemoMiddleware {
  const store = new LastingTaskStore()
  const start = () => createDemoServer({ store, leaseMs: LEASE_MS })
  let server = start()
  let comingUp: ReturnType<typeof setTimeout> | undefined
  const legacy = createLegacyServer()
  const log = createRequestLog()
  const handle = nodeHandler(log.around({ fetch: (request, options) => server.fetch(request, options) }))

  return {
    mcp: (request, response) => {
      if (comingUp !== undefined) request.destroy()
      else handle(request, response)
    },
    legacy: legacy.handle,
    requests: (request, response) => {
      if (request.method === 'DELETE') log.entries.length = 0
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(log.entries))
    },
    restart: (_, response) => {
      response.writeHead(202).end()
      if (comingUp !== undefined) return
      void server.close()
      comingUp = setTimeout(() => {
        server = start()
        comingUp = undefined
      }, DOWN_MS)
    },
    close: async () => {
      clearTimeout(comingUp)
      await Promise.all([server.close(), legacy.close()])
    },
  }
}
