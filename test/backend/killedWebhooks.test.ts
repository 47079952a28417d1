import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import { createLiveServer } from 'taskwire/testing'
import { expect, it, onTestFinished } from 'vitest'
import { startHttpServer } from '../support/httpServer.js'
import { workTools } from '../support/workServer.js'
import { startReceiver } from './receiver.js'

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`

it('processes that are killed while a call runs and while its webhook is sent leave it to the next one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taskwire-webhooks-'))
  const mcp = await startHttpServer(createLiveServer({ tools: workTools, pollIntervalMs: 250 }))
  const receiver = await startReceiver()
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all([mcp.close(), receiver.crash()])
    await rm(folder, { recursive: true, force: true })
  })

  async function start() {
    const args = ['scripts/run.mjs', 'test/backend/webhooksProcess.ts', folder, mcp.url, receiver.url, SECRET]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    await once(createInterface({ input: child.stdout }), 'line')
    return child
  }
  async function kill(child: ChildProcess) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  const first = await start()
  first.stdin.write('weekly\n')
  await expect.poll(() => mcp.count('tasks/get'), { timeout: 20_000 }).toBeGreaterThan(0)
  await kill(first)

  receiver.answer('hang')
  const second = await start()
  await receiver.received(1)
  await kill(second)

  await start()
  await receiver.received(2)
  const [before = expect.fail(), after = expect.fail()] = receiver.requests
  const read = ({ body, headers }: typeof before) => new Webhook(SECRET).verify(body, headers as Record<string, string>)
  expect(read(after)).toMatchObject({ type: 'tool_call.completed', data: { userId: 'ada', key: 'weekly' } })
  expect(read(before)).toEqual(read(after))
  expect(after.headers['webhook-id']).toBe(before.headers['webhook-id'])
  expect(mcp.count('tools/call')).toBe(1)
}, 60_000)
