import { Hono } from 'hono'
import { createTaskBridge } from 'taskwire/bridge/server'
import { clientOfUser } from './backendClients.ts'

/**
 * Put the sessions of your app here: find the signed-in user by the cookie of
 * the session.
 */
const users = new Map<string, string>()

const bridge = createTaskBridge({
  clientOf: (request) => {
    const [, session = ''] =
      /(?:^|; )session=([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
    const userId = users.get(session)
    return userId === undefined ? undefined : clientOfUser(userId)
  },
  allow: { tools: ['generate_report'] },
})

const app = new Hono()
app.all('/api/calls', (c) => bridge.fetch(c.req.raw))
export default app
