// A gateway whose tasks are in a database: `node scripts/run.mjs test/gateway/storedGateway.ts redis|postgres URL FOLDER`.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskGateway } from 'taskwire/gateway'
import { createParts } from '../../demo/scale/parts.js'

const [, , backend, url = '', folder = ''] = process.argv
const { store } = createParts(backend === 'redis' ? 'redis' : 'postgres', url)
const behind = new URL('waitingServer.mjs', import.meta.url).pathname
const gateway = createTaskGateway({
  transport: () => new StdioClientTransport({ command: process.execPath, args: [behind, folder] }),
  store,
  tasks: ['write', 'read'],
  leaseMs: 1000,
})
const http = createServer(toNodeHandler(gateway) as RequestListener)
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`))
