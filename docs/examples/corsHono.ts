import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { mcp } from './corsServer.ts'

const app = new Hono()
app.use(
  cors({
    origin: 'https://app.example',
    allowMethods: ['GET', 'POST', 'DELETE'],
    allowHeaders: [
      'content-type',
      'authorization',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'mcp-session-id',
      'last-event-id',
    ],
    exposeHeaders: ['Retry-After', 'WWW-Authenticate', 'Mcp-Session-Id'],
    maxAge: 86_400,
  }),
)
app.all('/mcp', (c) => mcp.fetch(c.req.raw))

export default app
