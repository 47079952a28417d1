import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TaskClient, ToolCall } from 'taskwire'
import { createTaskClient } from 'taskwire/bridge'
import { createLiveServer } from 'taskwire/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Database, hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { type HttpServer, startHttpServer } from '../support/httpServer.js'
import { workTools } from '../support/workServer.js'

/** Long enough that a busy machine does not lose leases. */
const LEASE_MS = 3000
const NAMES = ['A', 'B'] as const
type Name = (typeof NAMES)[number]

interface BackendProcess {
  readonly child: ChildProcess
  readonly url: string
}

function describeProcesses(kind: 'redis' | 'postgres'): void {
  let database: Database
  let mcp: HttpServer
  const processes: Partial<Record<Name, BackendProcess>> = {}
  const closing: (() => Promise<void>)[] = []
  let users = 0

  async function startProcess(name: Name): Promise<BackendProcess> {
    const args = ['scripts/run.mjs', 'test/backend/process.ts', kind, database.url, mcp.url, String(LEASE_MS), name]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    return { child, url }
  }

  beforeAll(async () => {
    database = await (kind === 'redis' ? startRedis() : startPostgres())
    mcp = await startHttpServer(createLiveServer({ tools: workTools, pollIntervalMs: 250 }))
  }, 60_000)

  beforeEach(async () => {
    // Those that a test has killed are started again.
    await Promise.all(
      NAMES.map(async (name) => {
        const child = processes[name]?.child
        if (child === undefined || child.exitCode !== null || child.signalCode !== null)
          processes[name] = await startProcess(name)
      }),
    )
    mcp.requests.length = 0
    users += 1
  }, 60_000)

  afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

  afterAll(async () => {
    for (const { child } of Object.values(processes)) child.kill('SIGKILL')
    await mcp?.close()
    await database?.stop()
  })

  function processOf(name: Name): BackendProcess {
    const found = processes[name]
    if (found === undefined) throw new Error(`The process ${name} was not started.`)
    return found
  }

  /** A page of the user of this test, that reaches this process, and another one when that is gone. */
  function openPage(name: Name): TaskClient {
    let at = name
    const fetch = async (_: string | URL, init?: RequestInit) => {
      const headers = { ...(init?.headers as Record<string, string>), 'x-user': `user-${users}` }
      try {
        return await globalThis.fetch(processOf(at).url, { ...init, headers })
      } catch (error) {
        // What the page has hung up itself says nothing of the process.
        if (!init?.signal?.aborted) at = other(at)
        throw error
      }
    }
    const client = createTaskClient({ url: 'http://localhost/api/calls', fetch, crossTab: false })
    closing.push(client.close)
    return client
  }

  const other = (name: Name): Name => (name === 'A' ? 'B' : 'A')
  const polls = () => mcp.requests.filter(({ method }) => method === 'tasks/get')
  const pollers = (since: number) =>
    polls()
      .filter(({ arrivedAt }) => arrivedAt >= since)
      .map(({ headers }) => headers.get('x-process') as Name)
  const untilPolled = () => vi.waitFor(() => expect(polls().length).toBeGreaterThan(3), { timeout: 40_000 })
  const start = (page: TaskClient, seconds: number): ToolCall =>
    page.startToolCall({ name: 'work', arguments: { seconds } }, { key: 'report' })

  /** The longest time without a poll, in ms. */
  function longestPause(): number {
    const times = polls().map(({ arrivedAt }) => arrivedAt)
    return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)))
  }

  it('call a tool once, poll its task from one process, and both serve its call', async () => {
    const calls = NAMES.map((name) => start(openPage(name), 4))
    await untilPolled()
    const polledAt = performance.now()
    const results = await Promise.all(calls.map(({ result }) => result))
    expect(results).toMatchObject([{ structuredContent: { seconds: 4 } }, { structuredContent: { seconds: 4 } }])
    expect(mcp.count('tools/call')).toBe(1)
    expect(new Set(pollers(polledAt)).size).toBe(1)
    const late = start(openPage('B'), 4)
    expect(await late.result).toMatchObject({ structuredContent: { seconds: 4 } })
    expect(mcp.count('tools/call')).toBe(1)
  }, 120_000)

  it('one that is killed is replaced by another within two leases, and its pages go on', async () => {
    const pages = { A: openPage('A'), B: openPage('B') }
    const calls = NAMES.map((name) => start(pages[name], 8))
    await untilPolled()
    const [poller = 'A'] = pollers(0).slice(-1)
    processOf(poller).child.kill('SIGKILL')
    const results = await Promise.all(calls.map(({ result }) => result))
    expect(results).toMatchObject([{ structuredContent: { seconds: 8 } }, { structuredContent: { seconds: 8 } }])
    expect(mcp.count('tools/call')).toBe(1)
    expect(longestPause()).toBeLessThan(2 * LEASE_MS)
    expect(pollers(0).at(-1)).toBe(other(poller))
  }, 120_000)

  it('one that is killed while its page alone watches is replaced when the page reaches the other', async () => {
    const call = start(openPage('A'), 6)
    await untilPolled()
    processOf('A').child.kill('SIGKILL')
    expect(await call.result).toMatchObject({ structuredContent: { seconds: 6 } })
    expect(mcp.count('tools/call')).toBe(1)
  }, 120_000)

  it('one that was frozen for longer than its lease comes back, and polls nothing that another one does', async () => {
    const pages = { A: openPage('A'), B: openPage('B') }
    const calls = NAMES.map((name) => start(pages[name], 12))
    await untilPolled()
    const [poller = 'A'] = pollers(0).slice(-1)
    processOf(poller).child.kill('SIGSTOP')
    await vi.waitFor(() => expect(pollers(0).at(-1)).toBe(other(poller)), { timeout: 2 * LEASE_MS })
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS))
    processOf(poller).child.kill('SIGCONT')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const backAt = performance.now()
    const results = await Promise.all(calls.map(({ result }) => result))
    expect(results).toHaveLength(2)
    expect(new Set(pollers(backAt))).toEqual(new Set([other(poller)]))
    expect(mcp.count('tools/call')).toBe(1)
  }, 60_000)
}

describe('two processes over Postgres', () => describeProcesses('postgres'))

describe.skipIf(!hasRedis)(hasRedis ? 'two processes over Redis' : WITHOUT_REDIS, () => describeProcesses('redis'))
