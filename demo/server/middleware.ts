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
  close(): Promise<void>
}

export function createMiddleware(): DemoMiddleware {
  const server = createDemoServer()
  const legacy = createLegacyServer()
  const log = createRequestLog()

  return {
    mcp: nodeHandler(log.around(server)),
    legacy: legacy.handle,
    requests: (request, response) => {
      if (request.method === 'DELETE') log.entries.length = 0
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(log.entries))
    },
    close: async () => {
      await Promise.all([server.close(), legacy.close()])
    },
  }
}
