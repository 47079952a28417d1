import { Hono } from 'hono'
import { mcp } from './serverSignIn.ts'

const app = new Hono()
app.all('/mcp', (c) => mcp.fetch(c.req.raw))
app.all('/.well-known/*', (c) => mcp.fetch(c.req.raw))
export default app
