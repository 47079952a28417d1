import { createServer, type RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskServer } from 'taskwire/server'
import { createTaskAdmin } from 'taskwire/server/admin'

const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [],
})

/**
 * Stands for your own sign-in: browsers ask for a name and a password. Put it
 * behind TLS.
 */
const password = process.env['ADMIN_PASSWORD'] ?? crypto.randomUUID()
const expected = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

const admin = createTaskAdmin({
  server,
  guard(request) {
    if (request.headers.get('authorization') === expected) return true
    return new Response(null, {
      status: 401,
      headers: { 'WWW-Authenticate': 'Basic' },
    })
  },
})

// The cast is for exactOptionalPropertyTypes; without that option it is not
// needed.
createServer(toNodeHandler(admin) as RequestListener).listen(3001, '127.0.0.1')
