import { createLegacyServer } from './legacyServer.js'
import { type NodeHandler, nodeHandler } from './nodeHandler.js'
import { createDemoSite, isServed } from './site.js'

/** What the development server of the demo answers by itself. */
export interface DemoMiddleware {
  /** Answers a request, if its path is one of ours: `/mcp`, `/mcp-legacy`, `/__requests`, `/__server/restart`. */
  readonly handle: (...args: [...Parameters<NodeHandler>, next: () => void]) => void
  close(): Promise<void>
}

/** The demo's site for Node, and beside it a server for clients of MCP 2025-11-25. */
export function createMiddleware(): DemoMiddleware {
  const site = createDemoSite()
  const legacy = createLegacyServer()

  return {
    handle(request, response, next) {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1)
      if (path === 'mcp-legacy') return legacy.handle(request, response)
      if (!isServed(path)) return next()
      nodeHandler({ fetch: (webRequest, options) => site.fetch(path, webRequest, options) })(request, response)
    },
    close: async () => {
      await Promise.all([site.close(), legacy.close()])
    },
  }
}
