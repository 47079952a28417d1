// `npm run demo:scale -- [redis|postgres]`: the demo with its page, web process, workers and database in processes of their own.
import { request } from 'node:http'
import { createServer, type Plugin } from 'vite'
import { startPostgres, startRedis } from '../../test/server/support/databases.js'
import { startFleet } from './fleet.js'
import type { Backend } from './parts.js'

const backend: Backend = process.argv.includes('postgres') ? 'postgres' : 'redis'
/** A worker that is killed is replaced within twice as long. */
const LEASE_MS = 500

const database = await (backend === 'redis' ? startRedis() : startPostgres())
const program = new URL('process.ts', import.meta.url)
const startProcesses = (role: 'web' | 'worker', size: number) =>
  startFleet({
    program,
    args: [role, backend, database.url, String(LEASE_MS)],
    size,
    onLine: (line, place) => console.log(`${role} ${place + 1} (${work.pids[place]}): ${line}`),
  })
const web = startProcesses('web', 1)
const work = startProcesses('worker', 2)
await Promise.all([web.ready(), work.ready()])

/** Before the MCP server of the development server, which has everything in one process. */
const toWebProcess: Plugin = {
  name: 'demo:web-process',
  enforce: 'pre',
  configureServer({ middlewares }) {
    middlewares.use('/mcp', (incoming, response) => {
      const [url = 'http://127.0.0.1:9'] = web.urls
      const { method = 'GET', headers } = incoming
      const passedOn = request(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      passedOn.once('error', () => response.destroy())
      response.once('close', () => passedOn.destroy())
      incoming.pipe(passedOn)
    })
  },
}
const page = await createServer({ configFile: 'demo/vite.config.ts', plugins: [toWebProcess] })
await page.listen()
page.printUrls()
console.log(`
${backend}: ${database.url}
Start a render on the page, and end the worker that has it:
${work.pids.map((pid, place) => `  kill -9 ${pid}   # worker ${place + 1}`).join('\n')}
`)

async function stop(): Promise<void> {
  await Promise.all([web.stop(), work.stop(), page.close()])
  await database.stop()
  process.exit()
}
// Vite would end this process before the database is stopped.
process.removeAllListeners('SIGTERM')
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
