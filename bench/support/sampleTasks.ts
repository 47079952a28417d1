import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createTaskServer, defineTool, InMemoryTaskStore, type TaskRecord, type TaskStore } from 'taskwire/server'
import { postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { z } from 'zod'
import { rpcRequest } from '../../test/server/support/rpc.js'
import { heap } from './cpu.js'

type Kind = 'memory' | 'redis' | 'postgres'
type Serve = (request: Request) => Promise<Response>

const CALLS = 1000
const AT_A_TIME = 16
const serverInfo = { name: 'bench', version: '1.0.0' }
const inputSchema = z.object({ text: z.string() })

/** The SDK's own handler, for comparison. */
export async function sampleEcho(_: object): Promise<{ callsPerSecond: number; callP99: number }> {
  const handler = createMcpHandler(async () => {
    const server = new McpServer(serverInfo)
    server.registerTool('echo', { inputSchema }, ({ text }) => ({ content: [{ type: 'text', text }] }))
    return server
  })
  const { perSecond, p99 } = await load((request) => handler.fetch(request), callOf('echo'))
  return { callsPerSecond: perSecond, callP99: p99 }
}

/** Calls and polls of a server whose store has so many tasks at work. */
export async function sampleTasks({ kind, url, records }: { kind: Kind; url: string; records: number }): Promise<{
  callMs: number
  callsPerSecond: number
  callP99: number
  getsPerSecond: number
  getP99: number
  heapPerTask: number
}> {
  const store = storeOf(kind, url)
  const heapBefore = heap()
  await inParallel(records, (index) => store.create(recordOf(index)))
  const heapPerTask = (heap() - heapBefore) / records
  const work = defineTool({
    name: 'work',
    taskSupport: 'required',
    inputSchema,
    async handler(_, { sleep }) {
      await sleep(3_600_000)
      return { content: [] }
    },
  })
  const server = createTaskServer({
    serverInfo,
    tools: [work],
    store,
    maxTasks: 1_000_000,
    maxTasksPerOwner: 1_000_000,
    // What a queue takes is the queue's.
    ...(kind !== 'memory' && { executor: { start: async () => {} } }),
  })
  const ids: string[] = []
  const serve: Serve = (request) => server.fetch(request)
  // Warm.
  await load(serve, callOf('work'), 200)
  const calls = await load(serve, callOf('work'), CALLS, async (response) => {
    const { result } = (await response.json()) as { result: { taskId: string } }
    ids.push(result.taskId)
  })
  const gets = await load(serve, (index) => rpcRequest('tasks/get', { taskId: ids[index % ids.length] }))
  return {
    callMs: 1000 / calls.perSecond,
    callsPerSecond: calls.perSecond,
    callP99: calls.p99,
    getsPerSecond: gets.perSecond,
    getP99: gets.p99,
    heapPerTask: kind === 'memory' ? heapPerTask : Number.NaN,
  }
}

/** Streams that all listen to one task. */
export async function sampleStreams({ streams }: { streams: number }): Promise<{
  heapPerStream: number
  firstMs: number
  lastMs: number
}> {
  let finish = () => {}
  const tool = defineTool({
    name: 'work',
    taskSupport: 'required',
    inputSchema,
    async handler() {
      await new Promise<void>((resolve) => (finish = resolve))
      return { content: [] }
    },
  })
  const server = createTaskServer({ serverInfo, tools: [tool], maxStreams: streams })
  const { result } = (await (await server.fetch(callOf('work')())).json()) as { result: { taskId: string } }
  const { taskId } = result
  const before = heap()
  const open: Promise<number>[] = []
  for (let index = 0; index < streams; index += 1) {
    const response = await server.fetch(rpcRequest('subscriptions/listen', { notifications: { taskIds: [taskId] } }))
    open.push(untilCompleted(response))
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  const heapPerStream = (heap() - before) / streams
  const endedAt = performance.now()
  finish()
  const times = await Promise.all(open)
  return { heapPerStream, firstMs: Math.min(...times) - endedAt, lastMs: Math.max(...times) - endedAt }
}

async function untilCompleted({ body }: Response): Promise<number> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || decoder.decode(value).includes('"completed"')) return performance.now()
  }
}

function storeOf(kind: Kind, url: string): TaskStore {
  if (kind === 'redis') return redisTaskStore({ redis: new Redis(url) })
  if (kind === 'postgres') return postgresTaskStore({ pool: new pg.Pool({ connectionString: url, max: AT_A_TIME }) })
  return new InMemoryTaskStore()
}

const callOf = (name: string) => () => rpcRequest('tools/call', { name, arguments: { text: 'hello' } })

function recordOf(index: number): TaskRecord {
  const at = new Date(0).toISOString()
  const taskId = `live-${process.pid}-${index}`
  return {
    task: { taskId, status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 1000 },
    owner: `owner-${index % 1000}`,
    version: 1,
    expiresAt: null,
    tool: 'work',
    attempt: 1,
    answers: {},
    cancelRequested: false,
  }
}

async function inParallel(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      next += 1
      await run(next - 1)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, lane))
}

async function load(
  serve: Serve,
  requestOf: (index: number) => Request,
  count: number = CALLS,
  take: (response: Response) => Promise<unknown> = (response) => response.text(),
): Promise<{ perSecond: number; p99: number }> {
  const times: number[] = []
  const begun = performance.now()
  await inParallel(count, async (index) => {
    const at = performance.now()
    await take(await serve(requestOf(index)))
    times.push(performance.now() - at)
  })
  const seconds = (performance.now() - begun) / 1000
  times.sort((a, b) => a - b)
  return { perSecond: count / seconds, p99: times[Math.floor(count * 0.99)] ?? Number.NaN }
}
