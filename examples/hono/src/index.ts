import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { server } from './reports.js'

const app = new Hono()

app.all('/mcp', (c) => server.fetch(c.req.raw))
app.get('/', (c) => c.text('The MCP server is at /mcp.\n'))

const port = Number(process.env.PORT ?? 3000)
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () =>
  console.log(`http://127.0.0.1:${port}/mcp`),
)
