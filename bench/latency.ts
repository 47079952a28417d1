// From the completion of a task on the server to its result in the client, over HTTP on loopback: push beside polling.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskClient } from 'taskwire'
import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'
import { median } from './measure.js'

const TASKS = 15
const POLL_INTERVAL_MS = 1000

let completedAt = 0
const server = createTaskServer({
  serverInfo: { name: 'bench', version: '1.0.0' },
  pollIntervalMs: POLL_INTERVAL_MS,
  tools: [
    defineTool({
      name: 'work',
      taskSupport: 'required',
      inputSchema: z.object({ ms: z.number() }),
      handler: async ({ ms }, ctx) => {
        await ctx.sleep(ms)
        completedAt = performance.now()
        return { content: [] }
      },
    }),
  ],
})
const listener = toNodeHandler(server)
const http = createServer((request, response) => {
  void listener(request as typeof request & { method: string; url: string }, response)
})
await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`

async function measure(push: boolean): Promise<number[]> {
  const client = createTaskClient({ url, push })
  const delays: number[] = []
  for (let task = 0; task < TASKS; task++) {
    // Anywhere between two polls.
    await client.callTool({ name: 'work', arguments: { ms: 200 + ((task * 137) % POLL_INTERVAL_MS) } })
    delays.push(performance.now() - completedAt)
  }
  await client.close()
  return delays
}

const polled = await measure(false)
const pushed = await measure(true)
const line = (values: number[]) =>
  `median ${median(values).toFixed(1)} ms, longest ${Math.max(...values).toFixed(1)} ms`
console.log(`Completion to result on loopback, ${TASKS} tasks each, polled every ${POLL_INTERVAL_MS} ms:`)
console.log(`  polling   ${line(polled)}`)
console.log(`  push      ${line(pushed)}   ratio ${(median(pushed) / median(polled)).toFixed(3)}`)
http.closeAllConnections()
http.close()
process.exit(0)
