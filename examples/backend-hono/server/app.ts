import { Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { createClientPool, fileStorage } from 'taskwire/backend'
import { createTaskBridge } from 'taskwire/bridge/server'
import { server } from './reports.ts'

const storage = fileStorage('.taskwire')

const pool = createClientPool({
  create: () => ({
    url: 'http://reports.internal/mcp',
    // Only this backend reaches the MCP server, which runs in the same process
    // here. If yours runs elsewhere, remove this line.
    transportOptions: {
      fetch: (url, init) => server.fetch(new Request(url, init)),
    },
    storage,
  }),
})

/**
 * Who is signed in, by the cookie of the session. Put the sessions of your app
 * here.
 */
const sessions = new Map<string, string>()
const USERS = ['ada', 'grace']

const bridge = createTaskBridge({
  clientOf: ({ headers }) => {
    const [, session = ''] =
      /(?:^|; )session=([\w-]+)/.exec(headers.get('cookie') ?? '') ?? []
    const user = sessions.get(session)
    return user === undefined ? undefined : pool.get(user)
  },
  allow: { tools: ['generate_report'] },
  signInMessage: 'Sign in to see your reports.',
})

export const app = new Hono().basePath('/api')

app.all('/calls', (c) => bridge.fetch(c.req.raw))

app.get('/user', (c) =>
  c.json({ user: sessions.get(getCookie(c, 'session') ?? '') ?? null }),
)

app.post('/sign-in/:user', (c) => {
  const user = c.req.param('user')
  if (!USERS.includes(user)) return c.text('There is no such user.', 404)
  const session = crypto.randomUUID()
  sessions.set(session, user)
  setCookie(c, 'session', session, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
  })
  return c.json({ user })
})

app.post('/sign-out', (c) => {
  sessions.delete(getCookie(c, 'session') ?? '')
  return c.json({ user: null })
})
