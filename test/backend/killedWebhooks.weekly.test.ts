import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import { createLiveServer } from 'taskwire/testing'
import { expect, it, onTestFinished } from 'vitest'
import { hasRedis, startRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { startHttpServer } from '../support/httpServer.js'
import { PATIENCE } from '../support/patience.js'
import { workTools } from '../support/workServer.js'
import { type Received, startReceiver } from './receiver.js'

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`

/** Processes that keep their notes there. */
async function setUp(place: string) {
  const mcp = await startHttpServer(createLiveServer({ tools: workTools, pollIntervalMs: 250 }))
  const receiver = await startReceiver()
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all([mcp.close(), receiver.crash()])
  })

  async function start() {
    const args = ['scripts/run.mjs', 'test/backend/webhooksProcess.ts', place, mcp.url, receiver.url, SECRET]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    await once(createInterface({ input: child.stdout }), 'line')
    return child
  }
  const untilPolled = () => expect.poll(() => mcp.count('tasks/get'), PATIENCE).toBeGreaterThan(0)
  return { mcp, receiver, start, untilPolled }
}

const read = ({ body, headers }: Received) => new Webhook(SECRET).verify(body, headers as Record<string, string>)

it('processes that are killed while a call runs and while its webhook is sent leave it to the next one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taskwire-webhooks-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { mcp, receiver, start, untilPolled } = await setUp(folder)
  async function kill(child: ChildProcess) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  const first = await start()
  first.stdin.write('weekly\n')
  await untilPolled()
  await kill(first)

  receiver.answer('hang')
  const second = await start()
  await receiver.received(1)
  await kill(second)

  await start()
  await receiver.received(2)
  const [before = expect.fail(), after = expect.fail()] = receiver.requests
  expect(read(after)).toMatchObject({ type: 'tool_call.completed', data: { userId: 'ada', key: 'weekly' } })
  expect(read(before)).toEqual(read(after))
  expect(after.headers['webhook-id']).toBe(before.headers['webhook-id'])
  expect(mcp.count('tools/call')).toBe(1)
}, 60_000)

it.skipIf(!hasRedis)(
  hasRedis ? 'a process follows the call of one that is frozen, and one of them sends its webhook' : WITHOUT_REDIS,
  async () => {
    const database = await startRedis()
    onTestFinished(() => database.stop())
    const { mcp, receiver, start, untilPolled } = await setUp(database.url)
    const first = await start()
    await start()
    first.stdin.write('weekly\n')
    await untilPolled()
    first.kill('SIGSTOP')
    const polls = mcp.count('tasks/get')
    await receiver.received(1)
    expect(mcp.count('tasks/get')).toBeGreaterThan(polls)
    first.kill('SIGCONT')
    await new Promise((resolve) => setTimeout(resolve, 4000))
    expect(receiver.requests.map(read)).toMatchObject([{ type: 'tool_call.completed', data: { key: 'weekly' } }])
    expect(mcp.count('tools/call')).toBe(1)
  },
  120_000,
)
