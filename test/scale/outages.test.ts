import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createPostgresBackend, Queue, Worker, withBackend } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createTaskServer, createTaskWorker, type TaskServerErrorContext } from 'taskwire/server'
import { bullmqQueue, type ClosableQueue } from 'taskwire/server/bullmq'
import { postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { workingRecord } from '../../src/tools/testing/workingRecord.js'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { rpc } from '../server/support/rpc.js'
import { text } from '../server/support/tools.js'
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.js'

const serverInfo = { name: 'test', version: '1.0.0' }
const quick = {
  name: 'quick',
  taskSupport: 'required' as const,
  inputSchema: z.object({}),
  handler: () => text('done'),
}
let fresh = 0

/** A proxy in front of a database, which refuses connections until it is told otherwise. */
async function startBehindProxy(database: Database): Promise<{ proxy: TcpProxy; url: string }> {
  const url = new URL(database.url)
  const proxy = await startTcpProxy(Number(url.port), 'reset')
  onTestFinished(() => proxy.close())
  url.port = String(proxy.port)
  return { proxy, url: url.href }
}

/** As much of Postgres as lets clients in, and in the same packet tells them that it shuts down. */
async function startEndingPostgres(): Promise<{ url: string; connections: () => number }> {
  const message = (type: string, body: Buffer) => {
    const head = Buffer.alloc(5)
    head.write(type)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const reason = 'terminating connection due to administrator command'
  const welcome = Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('Z', Buffer.from('I')),
    message('E', Buffer.from(`SFATAL\0C57P01\0M${reason}\0\0`)),
  ])
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    socket.once('data', () => socket.end(welcome))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, connections: () => connections }
}

/** A web process and a worker over queue and store, with what went wrong in them. */
function startBoth(store: ReturnType<typeof postgresTaskStore>, queues: { web: ClosableQueue; work: ClosableQueue }) {
  const errors: TaskServerErrorContext[] = []
  const onError = (_: unknown, context: TaskServerErrorContext) => errors.push(context)
  const common = { serverInfo, tools: [quick], store, onError, leaseMs: 2000 }
  const server = createTaskServer({ ...common, executor: queues.web })
  const worker = createTaskWorker({ ...common, queue: queues.work })
  return { server, worker, errors }
}

/** How a call ends, however long it takes: by polling, in real time. */
async function untilCompleted(server: ReturnType<typeof createTaskServer>, taskId: unknown): Promise<void> {
  const get = async () => (await rpc(server, 'tasks/get', { taskId })).result
  await vi.waitUntil(async () => (await get())?.['status'] === 'completed', { timeout: 20_000, interval: 50 })
}

/** What must be true of a queue whose database comes later than the processes. */
async function provesLateDatabase(
  proxy: TcpProxy,
  parts: { store: ReturnType<typeof postgresTaskStore>; queue: () => ClosableQueue },
) {
  const queues = { web: parts.queue(), work: parts.queue() }
  const { server, worker, errors } = startBoth(parts.store, queues)
  const refused = await rpc(server, 'tools/call', { name: 'quick', arguments: {} })
  expect([refused.status, refused.headers.get('retry-after'), refused.error?.message]).toEqual([
    503,
    '1',
    'The call was not started: the server cannot keep tasks right now. Send it again.',
  ])
  expect(errors).toContainEqual(expect.objectContaining({ source: 'server', tool: 'quick' }))
  const used = process.cpuUsage()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const { user, system } = process.cpuUsage(used)
  expect((user + system) / 1000).toBeLessThan(700)

  proxy.set('pass')
  const started = await vi.waitUntil(
    async () => {
      const response = await rpc(server, 'tools/call', { name: 'quick', arguments: {} })
      return response.status === 200 && response
    },
    { timeout: 20_000, interval: 100 },
  )
  await untilCompleted(server, started.result?.['taskId'])

  proxy.set('swallow')
  const begun = performance.now()
  await worker.close()
  await server.close()
  await Promise.all([queues.web.close(), queues.work.close()])
  expect(performance.now() - begun).toBeLessThan(25_000)
  proxy.set('reset')
}

describe('on Postgres', { timeout: 90_000 }, () => {
  let database: Database

  beforeAll(async () => {
    database = await startPostgres()
  }, 60_000)
  afterAll(() => database.stop())

  it('the store keeps the process alive where idle connections of its pool are cut', async () => {
    const pool = new pg.Pool({ connectionString: database.url })
    onTestFinished(() => pool.end())
    const store = postgresTaskStore({ pool, schema: `outage_${process.pid}` })
    await Promise.all(Array.from({ length: 5 }, (_, index) => store.create(workingRecord(`t${index}`))))
    const gone = new Promise<void>((resolve) => pool.on('remove', () => pool.totalCount === 0 && resolve()))
    const other = new pg.Client(database.url)
    await other.connect()
    await other.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    await other.end()
    await gone
    expect(await store.get('t0')).toBeDefined()
  })

  it('the store keeps the process alive, and connects again, where a connection is ended in the moment in which it is made', async () => {
    const ending = await startEndingPostgres()
    const pool = new pg.Pool({ connectionString: ending.url })
    onTestFinished(() => pool.end())
    const stop = postgresTaskStore({ pool }).watch?.(() => {})
    onTestFinished(() => stop?.())
    await vi.waitUntil(() => ending.connections() > 1, { timeout: 20_000, interval: 20 })
  })

  it('a web process and a worker of BullMQ that are started before their database wait for it, and close without it', async () => {
    const { proxy, url } = await startBehindProxy(database)
    const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 3000 })
    fresh += 1
    const name = `late${process.pid}_${fresh}`
    const connection = { connectionString: url, migrate: true, connectionTimeoutMillis: 3000 }
    await provesLateDatabase(proxy, {
      store: postgresTaskStore({ pool, schema: name }),
      queue: () => bullmqQueue({ ...withBackend(createPostgresBackend), connection, name }),
    })
    await pool.end()
  })
})

describe.skipIf(!hasRedis)(hasRedis ? 'on Redis' : WITHOUT_REDIS, { timeout: 90_000 }, () => {
  let database: Database

  beforeAll(async () => {
    database = await startRedis()
  })
  afterAll(() => database.stop())

  it('a web process and a worker of BullMQ that are started before their database wait for it, and close without it', async () => {
    const { proxy, url } = await startBehindProxy(database)
    const redis = new Redis(url)
    redis.on('error', () => {})
    fresh += 1
    const name = `late${process.pid}_${fresh}`
    await provesLateDatabase(proxy, {
      store: redisTaskStore({ redis, prefix: `{${name}}:` }),
      queue: () => bullmqQueue({ Queue, Worker, connection: { url }, name }),
    })
    redis.disconnect()
  })
})
