import { server } from './reports'

export default {
  async fetch(request, _env, ctx) {
    const { pathname } = new URL(request.url)
    if (pathname !== '/mcp')
      return new Response('The MCP server is at /mcp.\n', { status: 404 })
    // The work of a task continues after the first response is sent.
    return server.fetch(request, { waitUntil: (work) => ctx.waitUntil(work) })
  },
} satisfies ExportedHandler
