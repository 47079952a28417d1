import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createTaskClient } from 'taskwire'
import { createTaskServer, defineTool } from 'taskwire/server'
import { z } from 'zod'
import { figure, median } from './support/report.js'
import type { Group } from './support/runner.js'

const TASKS = 15
const POLL_INTERVAL_MS = 1000

/** In real time, over HTTP on loopback: there is nothing to simulate about a stream. */
export const push: Group = async () => {
  const completedAt = new Map<number, number>()
  const work = defineTool({
    name: 'work',
    taskSupport: 'required',
    inputSchema: z.object({ ms: z.number() }),
    handler: async ({ ms }, ctx) => {
      await ctx.sleep(ms)
      completedAt.set(ms, performance.now())
      return { content: [] }
    },
  })
  const server = createTaskServer({
    serverInfo: { name: 'bench', version: '1.0.0' },
    pollIntervalMs: POLL_INTERVAL_MS,
    tools: [work],
  })
  const listener = toNodeHandler(server)
  const http = createServer((request, response) => {
    void listener(request as typeof request & { method: string; url: string }, response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`

  async function delay(push: boolean): Promise<number> {
    const client = createTaskClient({ url, push })
    const delays = Array.from({ length: TASKS }, async (_, task) => {
      // Anywhere between two polls.
      const ms = POLL_INTERVAL_MS + Math.round((task * POLL_INTERVAL_MS) / TASKS)
      await client.callTool({ name: 'work', arguments: { ms } })
      return performance.now() - (completedAt.get(ms) ?? Number.NaN)
    })
    const middle = median(await Promise.all(delays))
    await client.close()
    return middle
  }

  const [polled, pushed] = [await delay(false), await delay(true)]
  http.closeAllConnections()
  http.close()
  return [
    {
      title: 'From completion on the server to the result, ms',
      note: `Over HTTP on loopback, median of ${TASKS} tasks that are polled every ${POLL_INTERVAL_MS} ms.`,
      columns: ['', 'polled', 'pushed', 'pushed ÷ polled'],
      rows: [{ cells: ['a task', figure(polled), figure(pushed), `${figure(pushed / polled)} ×`] }],
    },
  ]
}
