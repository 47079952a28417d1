// One process of the demo: `node scripts/run.mjs demo/scale/process.ts web|worker redis|postgres URL LEASE_MS`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskServer, createTaskWorker, type ToolDefinition } from 'taskwire/server'
import * as askingTools from '../server/askingTools.js'
import { nodeHandler } from '../server/nodeHandler.js'
import * as longTools from '../server/tools.js'
import { logSteps } from './logSteps.js'
import { type Backend, createParts } from './parts.js'

const [, , role, backend, url = '', leaseMs] = process.argv
const { store, queue, close } = createParts(backend as Backend, url)

const isTool = (value: unknown): value is ToolDefinition => typeof Object(value).handler === 'function'
const tools = Object.values({ ...longTools, ...askingTools }).filter(isTool)
const options = {
  serverInfo: { name: 'taskwire-demo', version: '1.0.0' },
  tools: tools.map((tool) => logSteps(tool, (what, step) => console.log(`${what} ${step}`))),
  store,
  leaseMs: Number(leaseMs),
}

// It ends with the process that started it.
process.stdin.once('end', () => process.exit()).resume()

if (role === 'web') {
  const server = createTaskServer({ ...options, executor: queue })
  const http = createServer(nodeHandler(server))
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`))
} else {
  const worker = createTaskWorker({ ...options, queue, concurrency: 20 })
  process.once('SIGTERM', () => void worker.close({ drainMs: 20_000 }).then(close))
  console.log('ready')
}
