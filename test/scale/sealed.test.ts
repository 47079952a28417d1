import { Redis } from 'ioredis'
import pg from 'pg'
import { createTaskServer, createTaskWorker, defineTool, type TaskStore } from 'taskwire/server'
import { postgresTaskStore } from 'taskwire/server/postgres'
import { redisTaskStore } from 'taskwire/server/redis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { createManualClock, type ManualClock } from '../server/support/manualClock.js'
import { createMemoryQueue } from '../server/support/memoryQueue.js'
import { rpc, TASKS_AND_INPUT } from '../server/support/rpc.js'
import { text } from '../server/support/tools.js'

const LEASE_MS = 30_000
const flip = (word: string) => [...word].reverse().join('')
const sealing = { seal: (word: string) => `sealed:${flip(word)}`, open: (sealed: string) => flip(sealed.slice(7)) }
const SECRETS = ['open sesame', 'half of the secret', 'Whose?', 'Luca', 'a receipt', 'the secret result']

/** A store, and everything that its database holds, as text. */
interface Backend {
  readonly store: TaskStore
  content(): Promise<string>
}

async function onPostgres(): Promise<Backend> {
  const database = await startPostgres()
  onTestFinished(() => database.stop())
  const pool = new pg.Pool({ connectionString: database.url })
  onTestFinished(() => pool.end())
  const schema = `sealed_${process.pid}`
  const content = async () => JSON.stringify((await pool.query(`SELECT * FROM ${schema}.tasks`)).rows)
  return { store: postgresTaskStore({ pool, schema }), content }
}

async function onRedis(): Promise<Backend> {
  const database = await startRedis()
  onTestFinished(() => database.stop())
  const redis = new Redis(database.url)
  onTestFinished(() => redis.disconnect())
  const prefix = `{sealed${process.pid}}:`
  const content = async () => {
    const keys = await redis.keys(`${prefix}task:*`)
    return JSON.stringify(await Promise.all(keys.map((key) => redis.hgetall(key))))
  }
  return { store: redisTaskStore({ redis, prefix }), content }
}

/** Lets a lease be renewed a few times. */
async function renew({ store }: Backend, clock: ManualClock, taskId: string): Promise<void> {
  const untilOf = async () => (await store.get(taskId))?.lease?.until ?? 0
  for (let time = 0; time < 5; time += 1) {
    const before = await untilOf()
    await clock.advance(LEASE_MS / 4)
    await vi.waitUntil(async () => (await untilOf()) > before, { timeout: 20_000, interval: 20 })
  }
}

describe.each([
  ['Postgres', onPostgres, true],
  [hasRedis ? 'Redis' : WITHOUT_REDIS, onRedis, hasRedis],
] as const)('a sealed task on %s whose lease is renewed', { timeout: 90_000 }, (_, start, isThere) => {
  it.skipIf(!isThere)('stays sealed, and the next worker opens what the first one has done', async () => {
    const backend = await start()
    const charged = vi.fn(() => 'a receipt')
    const tool = defineTool({
      name: 'secretive',
      taskSupport: 'required',
      inputSchema: z.object({ code: z.string() }),
      onOrphan: 'retry',
      async handler({ code }, { elicit, once, progress, signal, attempt }) {
        const receipt = await once('pay', charged)
        await progress(1, 2, 'half of the secret')
        const answer = await elicit({ message: 'Whose?', requestedSchema: z.object({ name: z.string() }) })
        if (attempt === 1) await new Promise((_, reject) => signal.addEventListener('abort', reject))
        return text(`the secret result: ${code}, ${receipt}, ${answer.content?.name}`)
      },
    })
    const serverInfo = { name: 'test', version: '1.0.0' }
    const queue = createMemoryQueue()
    // Redis forgets records by its own clock.
    const clock = createManualClock(Date.now())
    const { store } = backend
    const common = { serverInfo, tools: [tool], store, clock, leaseMs: LEASE_MS, onError: () => {}, ...sealing }
    const server = createTaskServer({ ...common, executor: queue })
    onTestFinished(() => server.close())
    const first = createTaskWorker({ ...common, queue })
    const call = { name: 'secretive', arguments: { code: 'open sesame' } }
    const created = await rpc(server, 'tools/call', call, { capabilities: TASKS_AND_INPUT })
    const taskId = String(created.result?.['taskId'])
    const seen: string[] = []
    const get = async () => {
      seen.push(await backend.content())
      return (await rpc(server, 'tasks/get', { taskId })).result
    }
    await vi.waitUntil(async () => (await get())?.['status'] === 'input_required', { timeout: 20_000, interval: 20 })
    await renew(backend, clock, taskId)
    const inputResponses = { 'elicitation-1': { action: 'accept', content: { name: 'Luca' } } }
    await rpc(server, 'tasks/update', { taskId, inputResponses })
    await renew(backend, clock, taskId)
    await get()
    await first.close()
    const second = createTaskWorker({ ...common, queue })
    onTestFinished(() => second.close())
    await vi.waitUntil(async () => (await get())?.['status'] === 'completed', { timeout: 20_000, interval: 20 })
    expect((await get())?.['result']).toMatchObject(text('the secret result: open sesame, a receipt, Luca'))
    expect(charged).toHaveBeenCalledOnce()
    expect(seen.filter((content) => SECRETS.some((secret) => content.includes(secret)))).toEqual([])
    expect(seen.at(-1)).toContain('sealed:')
  })
})
