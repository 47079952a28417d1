// One of several server processes over one folder: `node scripts/run.mjs test/interop/support/sharedServer.ts FOLDER`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskServer, defineTool } from 'taskwire/server'
import { createStorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs'
import { z } from 'zod'
import { createFileLock, UnstorageTaskStore } from '../../../docs/examples/serverUnstorage.js'

const folder = process.argv[2]
if (folder === undefined) throw new TypeError('Usage: sharedServer.ts FOLDER')

const storage = createStorage({ driver: fsDriver({ base: join(folder, 'tasks') }) })
const server = createTaskServer({
  serverInfo: { name: 'shared', version: '1.0.0' },
  store: new UnstorageTaskStore(storage, createFileLock(join(folder, 'locks'))),
  pollIntervalMs: 50,
  tools: [
    defineTool({
      name: 'deploy',
      inputSchema: z.object({ target: z.string() }),
      taskSupport: 'required',
      async handler({ target }, { progress, elicit }) {
        const requestedSchema = z.object({ sure: z.boolean() })
        const answer = await elicit({ message: `Deploy to ${target}?`, requestedSchema })
        await progress('Deploying')
        return { content: [{ type: 'text', text: `${target}: ${JSON.stringify(answer)}, by ${process.pid}` }] }
      },
    }),
    defineTool({
      name: 'wait',
      inputSchema: z.object({}),
      taskSupport: 'required',
      async handler(_, { sleep }) {
        await sleep(60_000)
        return { content: [] }
      },
    }),
  ],
})

const handle = toNodeHandler(server)
const http = createServer((request, response) => {
  // Node types a request's method and url as optional; in a server both are there.
  void handle(request as typeof request & { method: string; url: string }, response)
})
http.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`)
})
