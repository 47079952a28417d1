import { createServer, type RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskServer } from 'taskwire/server'
import { queue, store } from './parts.ts'
import { serverInfo, tools } from './tools.ts'

const server = createTaskServer({
  serverInfo,
  tools,
  store,
  executor: queue,
  cors: true,
})
const port = Number(process.env['PORT'] ?? 3000)
createServer(toNodeHandler(server) as RequestListener).listen(port, '0.0.0.0')
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)))
