// The server that the official conformance suite asks, over one of the stores:
// `node scripts/run.mjs test/interop/conformanceServer.ts memory|redis|postgres [queue]`. It ends with its input.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFixtureServer, startFixtureWorker } from '../../demo/server/fixtures/fixtureServer.js'
import { nodeHandler } from '../../demo/server/nodeHandler.js'
import { createParts, prepare } from '../scale/chaos/parts.js'
import { startPostgres, startRedis } from '../server/support/databases.js'

const [, , kind, withQueue] = process.argv
const database = kind === 'redis' ? await startRedis() : kind === 'postgres' ? await startPostgres() : undefined
const backend = kind === 'redis' ? 'redis' : 'postgres'
if (database !== undefined) await prepare(backend, database.url)
const parts = database && createParts(backend, database.url)
const queue = withQueue === 'queue' ? parts?.queue : undefined

const server = createFixtureServer({
  cors: true,
  ...(parts && { store: parts.store }),
  ...(queue && { executor: queue }),
})
const worker = parts && queue && startFixtureWorker({ store: parts.store, queue })
const http = createServer(nodeHandler(server))
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`))

process.stdin
  .once('end', async () => {
    http.close()
    http.closeAllConnections()
    await server.close()
    await worker?.close()
    await parts?.close()
    await database?.stop()
    process.exit()
  })
  .resume()
