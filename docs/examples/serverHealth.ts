import { createServer, type RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createHealthHandler, createTaskServer } from 'taskwire/server'

const server = createTaskServer({
  serverInfo: { name: 'reports', version: '1.0.0' },
  tools: [],
})

// The casts are for exactOptionalPropertyTypes; without that option they are
// not needed.
createServer(toNodeHandler(server) as RequestListener).listen(3000, '127.0.0.1')
// On a separate port, which only the platform can reach. The same works for a
// worker.
createServer(
  toNodeHandler(createHealthHandler(server)) as RequestListener,
).listen(8080)
