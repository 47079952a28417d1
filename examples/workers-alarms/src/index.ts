import type { Env } from './calls'
import { server } from './reports'

export { Calls } from './calls'

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url)
    if (pathname === '/mcp')
      return server.fetch(request, { waitUntil: (work) => ctx.waitUntil(work) })
    if (pathname !== '/api/calls')
      return new Response('The calls of a user are at /api/calls.\n', {
        status: 404,
      })
    // Put the sessions of your app here: each user has an object of their own.
    const user = request.headers.get('x-user') ?? 'guest'
    return env.CALLS.getByName(user).fetch(request)
  },
} satisfies ExportedHandler<Env>
