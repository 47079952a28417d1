import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import {
  createTaskServer,
  defineTool,
  InMemoryTaskStore,
  type TaskExecutor,
  type TaskRecord,
  type TaskStore,
} from 'taskwire/server'
import { bullmqQueue } from 'taskwire/server/bullmq'
import { postgresQueue, postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { z } from 'zod'
import { rpcRequest } from '../../test/server/support/rpc.js'
import { cpu, heap } from './cpu.js'
import { median } from './report.js'

export type Kind = 'memory' | 'redis' | 'postgres'
export type Serve = (request: Request) => Promise<Response>

const CALLS = 400
/** In one process: filling the store takes longer than measuring. */
const ROUNDS = 9
const AT_A_TIME = 16
const SCHEMA = 'bench'
export const serverInfo = { name: 'bench', version: '1.0.0' }
export const inputSchema = z.object({ text: z.string() })

/** The SDK's own handler, for comparison. */
function sdkAlone(): Serve {
  const handler = createMcpHandler(async () => {
    const server = new McpServer(serverInfo)
    server.registerTool('echo', { inputSchema }, ({ text }) => ({ content: [{ type: 'text', text }] }))
    return server
  })
  return (request) => handler.fetch(request)
}

/** Where tasks are, whether a queue takes them to workers, and how many are at work. */
export interface TasksInput {
  kind: Kind
  url: string
  hasQueue: boolean
  records: number
}

/** Calls and polls of a server whose store has so many tasks at work. */
export async function sampleTasks({ kind, url, hasQueue, records }: TasksInput): Promise<{
  echoesPerSecond: number
  echoP99: number
  /** How long a call takes beside an echo of the SDK alone, which is measured in turn with it. */
  callByEcho: number
  /** The same of what this process computes, which other work on the machine does not change much. */
  cpuByEcho: number
  callsPerSecond: number
  callP99: number
  getsPerSecond: number
  getP99: number
  bytesPerTask: number
}> {
  const { store, queue, bytes } = storeOf(kind, url)
  await store.get('none')
  const before = await bytes()
  await inParallel(records, (index) => store.create(recordOf(index)))
  const bytesPerTask = ((await bytes()) - before) / records
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
    // What is measured is a call, not the claims of those that came before.
    leaseMs: 3_600_000,
    ...(hasQueue && queue && { executor: queue }),
  })
  const ids: string[] = []
  const serve: Serve = (request) => server.fetch(request)
  const echo = sdkAlone()
  // Warm.
  await load(echo, callOf('echo'), 200)
  await load(serve, callOf('work'), 200)
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const echoes = await load(echo, callOf('echo'))
    const calls = await load(serve, callOf('work'), CALLS, async (response) => {
      const { result } = (await response.json()) as { result: { taskId: string } }
      ids.push(result.taskId)
    })
    const gets = await load(serve, (index) => rpcRequest('tasks/get', { taskId: ids[index % ids.length] }))
    rounds.push({ echoes, calls, gets })
  }
  return {
    echoesPerSecond: median(rounds.map(({ echoes }) => echoes.perSecond)),
    echoP99: median(rounds.map(({ echoes }) => echoes.p99)),
    callByEcho: median(rounds.map(({ echoes, calls }) => echoes.perSecond / calls.perSecond)),
    cpuByEcho: median(rounds.map(({ echoes, calls }) => calls.cpuMs / echoes.cpuMs)),
    callsPerSecond: median(rounds.map(({ calls }) => calls.perSecond)),
    callP99: median(rounds.map(({ calls }) => calls.p99)),
    getsPerSecond: median(rounds.map(({ gets }) => gets.perSecond)),
    getP99: median(rounds.map(({ gets }) => gets.p99)),
    bytesPerTask,
  }
}

/** Streams that all listen to one task, and one more that listens to another. */
export async function sampleStreams({ streams }: { streams: number }): Promise<{
  heapPerStream: number
  firstMs: number
  lastMs: number
  aloneMs: number
}> {
  const ends: (() => void)[] = []
  const tool = defineTool({
    name: 'work',
    taskSupport: 'required',
    inputSchema,
    async handler() {
      await new Promise<void>((resolve) => ends.push(resolve))
      return { content: [] }
    },
  })
  const server = createTaskServer({ serverInfo, tools: [tool], maxStreams: streams + 1 })
  const start = async () => {
    const { result } = (await (await server.fetch(callOf('work')())).json()) as { result: { taskId: string } }
    return result.taskId
  }
  const listen = async (taskId: string) => {
    const response = await server.fetch(rpcRequest('subscriptions/listen', { notifications: { taskIds: [taskId] } }))
    return untilCompleted(response)
  }
  const [shared, own] = [await start(), await start()]
  const before = heap()
  const open: Promise<number>[] = []
  for (let index = 0; index < streams; index += 1) open.push((await listen(shared)).at)
  const alone = await listen(own)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const heapPerStream = (heap() - before) / streams
  const begun = performance.now()
  ends[1]?.()
  const aloneMs = (await alone.at) - begun
  const endedAt = performance.now()
  ends[0]?.()
  const times = await Promise.all(open)
  return { heapPerStream, firstMs: Math.min(...times) - endedAt, lastMs: Math.max(...times) - endedAt, aloneMs }
}

/** Reads a stream; `at` resolves to the time at which it told of the end of its task. */
function untilCompleted({ body }: Response): { at: Promise<number> } {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  const read = async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done || decoder.decode(value).includes('"completed"')) return performance.now()
    }
  }
  return { at: read() }
}

/** A store, its queue, and how many bytes it has where it keeps its tasks: on the heap, in Redis, in its table with the indexes. */
export function storeOf(kind: Kind, url: string): { store: TaskStore; queue?: TaskExecutor; bytes(): Promise<number> } {
  if (kind === 'redis') {
    const redis = new Redis(url)
    const bytes = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
    const queue = bullmqQueue({ Queue, Worker, connection: { url } })
    return { store: redisTaskStore({ redis }), queue, bytes }
  }
  if (kind === 'postgres') {
    const pool = new pg.Pool({ connectionString: url, max: AT_A_TIME })
    const bytes = async () =>
      Number((await pool.query(`SELECT pg_total_relation_size('${SCHEMA}.tasks') AS size`)).rows[0].size)
    return { store: postgresTaskStore({ pool, schema: SCHEMA }), queue: postgresQueue({ pool, schema: SCHEMA }), bytes }
  }
  return { store: new InMemoryTaskStore(), bytes: async () => heap() }
}

const callOf = (name: string) => () => rpcRequest('tools/call', { name, arguments: { text: 'hello' } })

function recordOf(index: number): TaskRecord {
  const at = new Date(0).toISOString()
  const taskId = `live-${process.pid}-${index}`
  return {
    task: { taskId, status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: null, pollIntervalMs: 1000 },
    owner: `owner-${index % 1000}`,
    version: 1,
    format: 1,
    expiresAt: null,
    ttlMs: null,
    tool: 'work',
    attempt: 1,
    answers: {},
    cancelRequested: false,
  }
}

async function inParallel(
  count: number,
  run: (index: number) => Promise<unknown>,
  atATime: number = AT_A_TIME,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      next += 1
      await run(next - 1)
    }
  }
  await Promise.all(Array.from({ length: atATime }, lane))
}

export async function load(
  serve: Serve,
  requestOf: (index: number) => Request,
  count: number = CALLS,
  take: (response: Response) => Promise<unknown> = (response) => response.text(),
  atATime: number = AT_A_TIME,
): Promise<{ perSecond: number; p99: number; cpuMs: number }> {
  const times: number[] = []
  const cpuBefore = cpu()
  const begun = performance.now()
  await inParallel(
    count,
    async (index) => {
      const at = performance.now()
      await take(await serve(requestOf(index)))
      times.push(performance.now() - at)
    },
    atATime,
  )
  const seconds = (performance.now() - begun) / 1000
  const cpuMs = (cpu() - cpuBefore) / count
  times.sort((a, b) => a - b)
  return { perSecond: count / seconds, p99: times[Math.floor(count * 0.99)] ?? Number.NaN, cpuMs }
}
