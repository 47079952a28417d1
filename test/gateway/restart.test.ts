import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished, vi } from 'vitest'
import { hasRedis, startPostgres, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { type Json, readResponse, rpcRequest } from '../server/support/rpc.js'

const program = new URL('storedGateway.ts', import.meta.url).pathname
const SOON = { timeout: 20_000, interval: 50 }

/** A gateway in a process of its own, which can be killed. */
async function start(...words: string[]) {
  const process_ = spawn(process.execPath, ['scripts/run.mjs', program, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => kill(process_))
  const [url] = (await once(createInterface({ input: process_.stdout }), 'line')) as [string]
  return {
    kill: () => kill(process_),
    async rpc(method: string, params: Json) {
      const request = rpcRequest(method, params)
      return readResponse(await fetch(url, { method: 'POST', headers: request.headers, body: await request.text() }))
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const kinds = [...(hasRedis ? (['redis'] as const) : []), 'postgres'] as const
if (!hasRedis) console.warn(WITHOUT_REDIS)

it.each(kinds)(
  'a gateway over %s that is killed and started again runs again what may, and fails the rest',
  async (kind) => {
    const database = await (kind === 'redis' ? startRedis() : startPostgres())
    onTestFinished(() => database.stop())
    const folder = await mkdtemp(join(tmpdir(), 'gateway-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const runsOf = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim().split('\n').length
    const first = await start(kind, database.url, folder)
    const [write, read] = await Promise.all(
      ['write', 'read'].map(
        async (name) => (await first.rpc('tools/call', { name, arguments: {} })).result?.['taskId'],
      ),
    )
    for (const name of ['write', 'read']) await vi.waitFor(async () => expect(await runsOf(name)).toBe(1), SOON)
    await first.kill()
    const second = await start(kind, database.url, folder)
    const shows = (taskId: unknown, shown: Json) =>
      vi.waitFor(async () => expect((await second.rpc('tasks/get', { taskId })).result).toMatchObject(shown), SOON)
    // Nothing but tasks is asked for: a page that stayed open polls, and calls no tool.
    await shows(write, { status: 'failed', error: { message: expect.stringContaining('may have run in part') } })
    await vi.waitFor(async () => expect(await runsOf('read')).toBe(2), SOON)
    await shows(read, { status: 'working' })
    await writeFile(join(folder, 'go'), '')
    await shows(read, { status: 'completed', result: { content: [{ type: 'text', text: 'read: run 2' }] } })
    expect(await runsOf('write')).toBe(1)
  },
)
