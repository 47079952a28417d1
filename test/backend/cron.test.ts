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

function describeJobs(kind: 'redis' | 'postgres'): void {
  it('jobs that live for one tick follow a task to its end, though one of them is killed during its poll', async () => {
    const database = await (kind === 'redis' ? startRedis() : startPostgres())
    let finish = () => {}
    const work = new Promise<void>((resolve) => {
      finish = resolve
    })
    const wait = defineTool({
      name: 'wait',
      taskSupport: 'required',
      inputSchema: z.object({}),
      handler: async () => {
        await work
        return { content: [{ type: 'text', text: 'waited' }] }
      },
    })
    const server = createLiveServer({ tools: [wait], pollIntervalMs: 250 })
    let onPoll: (() => Promise<void>) | undefined
    const mcp = await startHttpServer({
      fetch: async (request) => {
        if (request.headers.get('mcp-method') === 'tasks/get') await onPoll?.()
        return server.fetch(request)
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

    /** Runs a job, and waits until the next one is due. */
    async function job(...key: string[]): Promise<CronReport> {
      const report = JSON.parse(await text(start(...key).stdout)) as CronReport
      if (report.nextWakeAt !== undefined) await sleep(Math.max(0, report.nextWakeAt - Date.now()))
      return report
    }

    expect(await job('weekly')).toMatchObject({ nextWakeAt: expect.any(Number), settled: [] })
    for (let polls = 1; polls <= 4; polls++) {
      expect(await job()).toMatchObject({ nextWakeAt: expect.any(Number), settled: [] })
      expect(mcp.count('tasks/get')).toBe(polls)
    }

    const killed = start()
    onPoll = async () => {
      killed.kill('SIGKILL')
      await once(killed, 'exit')
    }
    await once(killed, 'exit')
    onPoll = undefined
    expect(mcp.count('tasks/get')).toBe(5)

    expect(await job()).toMatchObject({ nextWakeAt: expect.any(Number), settled: [] })
    finish()
    const { settled } = await job()
    expect(settled).toEqual([
      {
        key: 'weekly',
        phase: 'completed',
        result: expect.objectContaining({ content: [{ type: 'text', text: 'waited' }] }),
      },
    ])
    const requests = mcp.requests.length
    expect(await job()).toEqual({ settled: [] })
    expect(mcp.requests).toHaveLength(requests)
    expect(mcp.count('tools/call')).toBe(1)
    expect(mcp.count('tasks/get')).toBe(7)
  }, 240_000)
}

describe('a scheduler over Postgres', () => describeJobs('postgres'))

describe.skipIf(!hasRedis)(hasRedis ? 'a scheduler over Redis' : WITHOUT_REDIS, () => describeJobs('redis'))
