import { createDemoServer } from './demoServer.js'
import { type NodeHandler, nodeHandler } from './nodeHandler.js'
import { createRequestLog } from './requestLog.js'

/** What the development server of the demo answers by itself. */
export interface DemoMiddleware {
  /** The MCP endpoint. */
  readonly mcp: NodeHandler
  /** `GET` reads the log of MCP requests, `DELETE` empties it. The tests count with it. */
  readonly requests: NodeHandler
  close(): Promise<void>
}

export function createMiddleware(): DemoMiddleware {
  const server = createDemoServer()
  const log = createRequestLog()

  return {
    mcp: nodeHandler(log.around(server)),
    requests: (request, response) => {
      if (request.method === 'DELETE') log.entries.length = 0
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(log.entries))
    },
    close: () => server.close(),
  }
}
