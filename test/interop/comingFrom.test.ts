import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { withTasks } from 'taskwire'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { report as reportAfter } from '../../docs/examples/extTasksAfter.js'
import { report as reportBefore } from '../../docs/examples/extTasksBefore.js'
import { createTaskServer, type TaskServer } from '../../src/server/createTaskServer.js'
import { defineTool } from '../../src/server.js'
import { settle } from '../server/support/manualClock.js'
import { createRawDispatch, PROTOCOL_VERSION } from './support/extTasksSession.js'

// The pairs of docs/coming-from.md do the same. The official packages have no clock to inject.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const clientInfo = { name: 'app', version: '1.0.0' }
const endpoint = new URL('https://example.com/mcp')

function startServer(taskSupport: 'optional' | 'required') {
  const report = defineTool({
    name: 'generate_report',
    inputSchema: z.object({ quarter: z.string() }),
    taskSupport,
    async handler({ quarter }, { progress, sleep }) {
      await progress('Asia')
      await sleep(90_000)
      return { content: [{ type: 'text', text: `The report of ${quarter}` }] }
    },
  })
  return createTaskServer({ serverInfo: clientInfo, tools: [report], onError: () => {} })
}

const fetchOf = (server: TaskServer) => (url: string | URL, init?: RequestInit) => server.fetch(new Request(url, init))

/** Lets simulated time pass until the promise is settled. */
async function meanwhile<T>(promise: Promise<T>): Promise<T> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  promise.then(end, end)
  while (!isOver) {
    await settle()
    await vi.advanceTimersByTimeAsync(500)
  }
  return promise
}

it('a report by ext-tasks and the same by Taskwire have the same result and the same status messages', async () => {
  const server = startServer('required')
  const transport = () => new StreamableHTTPClientTransport(endpoint, { fetch: fetchOf(server) })
  const options = { versionNegotiation: { mode: 'auto' } } as const
  const before: (string | undefined)[] = []
  const after: (string | undefined)[] = []
  const raw = {
    rawDispatch: createRawDispatch(server),
    v2RequestFraming: { protocolVersion: PROTOCOL_VERSION, clientInfo, clientCapabilities: {} },
  }
  const bare = new Client(clientInfo, options)
  await bare.connect(transport())
  const first = await meanwhile(reportBefore(bare, raw, (message) => before.push(message)))
  const wrapped = new Client(clientInfo, options)
  await wrapped.connect(withTasks(transport()))
  const second = await meanwhile(reportAfter(wrapped, (message) => after.push(message)))
  expect(second.content).toEqual(first.content)
  expect(before).toContain('Asia')
  expect(after).toContain('Asia')
})

it('a call as use-mcp sends it gives up after a minute, and is refused by a tool that must be a task', async () => {
  const call = async (server: TaskServer) => {
    const client = new ClientV1(clientInfo)
    await client.connect(new TransportV1(endpoint, { fetch: fetchOf(server) }))
    const params = { name: 'generate_report', arguments: { quarter: 'Q3' } }
    return client.request({ method: 'tools/call', params }, CallToolResultSchema)
  }
  await expect(meanwhile(call(startServer('optional')))).rejects.toThrow('Request timed out')
  await expect(meanwhile(call(startServer('required')))).rejects.toMatchObject({ code: -32021 })
})
