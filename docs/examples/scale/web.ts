import { createServer, type RequestListener } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskServer } from 'taskwire/server'
import { queue, serverInfo, store, tools } from './parts.ts'

const server = createTaskServer({ serverInfo, tools, store, executor: queue, cors: true })
createServer(toNodeHandler(server) as RequestListener).listen(3000, '0.0.0.0')
