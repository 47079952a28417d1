// One process of many: `node scripts/run.mjs test/scale/chaos/process.ts web|worker redis|postgres URL LOG`.
import { appendFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskServer, createTaskWorker, defineTool } from 'taskwire/server'
import { z } from 'zod'
import { type Backend, createParts } from './parts.js'

const [, , role, backend, url = '', log = ''] = process.argv
const { store, queue } = createParts(backend as Backend, url)
const serverInfo = { name: 'chaos', version: '1.0.0' }
const leaseMs = 2000
// What happens to connections is the point; what it does to tasks is seen from outside.
const onError = () => {}

process.stdin.once('end', () => process.exit()).resume()

/** The world outside, which no crash undoes. */
const write = (event: string, key: string) => appendFileSync(log, `${event} ${key}\n`)
const done = (key: string) => ({ content: [{ type: 'text' as const, text: key }] })
const inputSchema = z.object({ key: z.string(), ms: z.number() })

const tools = [
  defineTool({
    name: 'effect',
    inputSchema,
    taskSupport: 'required',
    async handler({ key, ms }, { sleep, task }) {
      write('begin', key)
      await task?.setStatus('at it')
      await sleep(ms)
      write('end', key)
      return done(key)
    },
  }),
  defineTool({
    name: 'pure',
    inputSchema,
    taskSupport: 'required',
    annotations: { readOnlyHint: true },
    async handler({ key, ms }, { sleep }) {
      await sleep(ms)
      return done(key)
    },
  }),
  defineTool({
    name: 'asking',
    inputSchema,
    taskSupport: 'required',
    onOrphan: 'retry',
    async handler({ key, ms }, { sleep, task }) {
      await task?.once('charge', () => write('charge', key))
      await sleep(ms)
      const requestedSchema = z.object({ sure: z.boolean() })
      const answer = await task?.elicit({ message: `Go on with ${key}?`, requestedSchema })
      await sleep(ms)
      return done(`${key} ${answer?.action}`)
    },
  }),
]

if (role === 'web') {
  const server = createTaskServer({
    serverInfo,
    tools,
    store,
    executor: queue,
    leaseMs,
    onError,
    maxTasksPerOwner: 1e6,
  })
  const http = createServer(toNodeHandler(server) as RequestListener)
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`))
} else {
  const worker = createTaskWorker({ serverInfo, tools, store, queue, leaseMs, onError, concurrency: 20 })
  process.on('SIGTERM', () => void worker.close({ drainMs: 500 }).then(() => process.exit(0)))
  console.log('ready')
}
