// The server that the official conformance suite asks, over one of the stores, or a gateway in front of it or of the same server
// without tasks; where there is a database, a worker does the work of its tasks: `node scripts/run.mjs
// test/interop/conformanceServer.ts memory|redis|postgres|gateway|gateway-plain`. It ends with its input.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localhostHostValidation, localhostOriginValidation } from '@modelcontextprotocol/node'
import { createTaskGateway } from 'taskwire/gateway'
import type { ReportError } from 'taskwire/server'
import { createParts } from '../../demo/scale/parts.js'
import {
  createFixtureServer,
  createPlainFixtureServer,
  startFixtureWorker,
} from '../../demo/server/fixtures/fixtureServer.js'
import { nodeHandler } from '../../demo/server/nodeHandler.js'
import { startPostgres, startRedis } from '../server/support/databases.js'
import { startHttpServer } from '../support/httpServer.js'

const [, , kind] = process.argv
const database = kind === 'redis' ? await startRedis() : kind === 'postgres' ? await startPostgres() : undefined
const backend = kind === 'redis' ? 'redis' : 'postgres'
const parts = database && createParts(backend, database.url)

const server =
  kind === 'gateway-plain'
    ? createPlainFixtureServer()
    : createFixtureServer({ cors: true, ...(parts && { store: parts.store, executor: parts.queue }) })
let isEnding = false
const onError: ReportError = (error) => isEnding || console.error(error)
const worker = parts && startFixtureWorker({ store: parts.store, queue: parts.queue, onError })
const behind = kind?.startsWith('gateway') ? await startHttpServer(server) : undefined
const tasks = [
  'slow_compute',
  'failing_job',
  'protocol_error_job',
  'confirm_delete',
  'multi_input',
  'test_tool_with_task',
]
const gateway = behind && createTaskGateway({ url: behind.url, cors: true, onError, tasks })
const handle = nodeHandler(gateway ?? server)
const guards = [localhostHostValidation(), localhostOriginValidation()]
const http = createServer((request, response) => {
  if (guards.every((isAllowed) => isAllowed(request, response))) handle(request, response)
})
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`))

process.stdin
  .once('end', async () => {
    // Connections are cut.
    isEnding = true
    http.close()
    http.closeAllConnections()
    await gateway?.close()
    await behind?.close()
    await server.close()
    await worker?.close()
    await parts?.close()
    await database?.stop()
    process.exit()
  })
  .resume()
