import { createServer } from 'node:http'
import { localhostHostValidation, localhostOriginValidation } from '@modelcontextprotocol/node'
import { createDemoServer } from './demoServer.js'
import { createFixtureServer } from './fixtures/fixtureServer.js'
import { nodeHandler } from './nodeHandler.js'

const port = Number(process.env['PORT'] ?? 3333)
const host = process.env['HOST'] ?? '127.0.0.1'

// With --fixtures, what the official conformance suite asks for.
const createMcpServer = process.argv.includes('--fixtures') ? createFixtureServer : createDemoServer
const server = createMcpServer({ cors: true })
const handle = nodeHandler(server)
// Reached by its local name and by pages of this machine only, unless HOST opens it up: against DNS rebinding.
const isLocal = ['127.0.0.1', 'localhost', '::1'].includes(host)
const guards = isLocal ? [localhostHostValidation(), localhostOriginValidation()] : []

const http = createServer((request, response) => {
  if (!guards.every((isAllowed) => isAllowed(request, response))) return
  if (new URL(request.url ?? '/', 'http://localhost').pathname === '/mcp') return handle(request, response)
  response.writeHead(404, { 'Content-Type': 'text/plain' }).end('The MCP endpoint is /mcp.\n')
})

http.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error
  console.error(`Port ${port} is taken. Set PORT to another one.`)
  process.exit(1)
})
http.listen(port, host, () => {
  const address = http.address()
  const actual = typeof address === 'object' ? address?.port : port
  console.log(`MCP server: http://${host.includes(':') ? `[${host}]` : host}:${actual}/mcp`)
})

/** Running tasks end as failed, and clients see that instead of a connection that breaks off. */
async function shutDown(): Promise<void> {
  await server.close()
  http.close()
  http.closeAllConnections()
}

process.once('SIGINT', shutDown)
process.once('SIGTERM', shutDown)
