import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from 'taskwire/server'
import { createLiveServer } from 'taskwire/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { startHttpServer } from '../support/httpServer.js'
import type { CronReport } from './cronProcess.js'

interface SetUpOptions {
  /** Whether the server knows calls by their keys. */
  readonly idempotentCalls?: boolean
}

async function setUp(kind: 'redis' | 'postgres', { idempotentCalls = true }: SetUpOptions = {}) {
  const database = await (kind === 'redis' ? startRedis() : startPostgres())
  let finish = () => {}
  const work = new Promise<void>((resolve) => {
    finish = resolve
  })
  let runs = 0
  const wait = defineTool({
    name: 'wait',
    taskSupport: 'required',
    inputSchema: z.object({}),
    handler: async () => {
      runs += 1
      await work
      return { content: [{ type: 'text', text: 'waited' }] }
    },
  })
  const server = createLiveServer({ tools: [wait], pollIntervalMs: 250, idempotentCalls })
  let onRequest: { readonly method: string; readonly act: () => Promise<unknown> } | undefined
  const mcp = await startHttpServer({
    fetch: async (request) => {
      const response = await server.fetch(request)
      if (request.headers.get('mcp-method') === onRequest?.method) await onRequest?.act()
      return response
    },
  })
  onTestFinished(async () => {
    finish()
    await mcp.close()
    await database.stop()
  })

  function start(...key: string[]): ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> } {
    const args = ['scripts/run.mjs', 'test/backend/cronProcess.ts', kind, database.url, mcp.url, ...key]
    return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  }

  return {
    ...{ mcp, finish },
    runs: () => runs,
    /** Runs a job, and waits until the next one is due. */
    job: async (...key: string[]): Promise<CronReport> => {
      const report = JSON.parse(await text(start(...key).stdout)) as CronReport
      if (report.nextWakeAt !== undefined) await sleep(Math.max(0, report.nextWakeAt - Date.now()))
      return report
    },
    /** Runs a job that is killed when the server has handled such a request of it, and has not answered. */
    killedJob: async (method: string, ...key: string[]): Promise<void> => {
      const killed = start(...key)
      const exit = once(killed, 'exit')
      onRequest = {
        method,
        act: async () => {
          killed.kill('SIGKILL')
          await exit
        },
      }
      await exit
      onRequest = undefined
    },
  }
}

const WAITED = {
  key: 'weekly',
  phase: 'completed',
  result: expect.objectContaining({ content: [{ type: 'text', text: 'waited' }] }),
}

function describeJobs(kind: 'redis' | 'postgres'): void {
  it('jobs that live for one tick follow a task to its end, though one of them is killed during its poll', async () => {
    const { mcp, finish, job, killedJob } = await setUp(kind)
    expect(await job('weekly')).toMatchObject({ nextWakeAt: expect.any(Number), settled: [] })
    for (let polls = 1; polls <= 4; polls++) {
      expect(await job()).toMatchObject({ nextWakeAt: expect.any(Number), settled: [] })
      expect(mcp.count('tasks/get')).toBe(polls)
    }

    await killedJob('tasks/get')
    expect(mcp.count('tasks/get')).toBe(5)

    expect(await job()).toMatchObject({ nextWakeAt: expect.any(Number), settled: [] })
    finish()
    expect((await job()).settled).toEqual([WAITED])
    const requests = mcp.requests.length
    expect(await job()).toEqual({ settled: [] })
    expect(mcp.requests).toHaveLength(requests)
    expect(mcp.count('tools/call')).toBe(1)
    expect(mcp.count('tasks/get')).toBe(7)
  }, 240_000)

  it('a call whose job is killed during its tools/call is carried on by the next job that makes it', async () => {
    const { mcp, finish, runs, job, killedJob } = await setUp(kind)
    await killedJob('tools/call', 'weekly')
    expect(runs()).toBe(1)
    expect(await job('weekly')).toMatchObject({ nextWakeAt: expect.any(Number), settled: [] })
    finish()
    expect((await job()).settled).toEqual([WAITED])
    expect(mcp.count('tools/call')).toBe(2)
    expect(runs()).toBe(1)
  }, 240_000)

  it('a job that makes no call has nothing to wake up for after such a kill, and repeats nothing', async () => {
    const { mcp, runs, job, killedJob } = await setUp(kind)
    await killedJob('tools/call', 'weekly')
    for (let jobs = 0; jobs < 2; jobs += 1) expect(await job()).toEqual({ settled: [] })
    expect([mcp.count('tools/call'), runs()]).toEqual([1, 1])
  }, 240_000)

  it('such a call is interrupted at a server that knows no keys, and the tool does not run again', async () => {
    const { mcp, runs, job, killedJob } = await setUp(kind, { idempotentCalls: false })
    await killedJob('tools/call', 'weekly')
    for (let made = 0; made < 2; made += 1)
      expect((await job('weekly')).settled).toMatchObject([{ key: 'weekly', phase: 'failed' }])
    expect([mcp.count('tools/call'), runs()]).toEqual([1, 1])
  }, 240_000)
}

describe('a scheduler over Postgres', () => describeJobs('postgres'))

describe.skipIf(!hasRedis)(hasRedis ? 'a scheduler over Redis' : WITHOUT_REDIS, () => describeJobs('redis'))
