import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TaskCancelledError, type TaskClient, type ToolCall } from 'taskwire'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTaskClient } from '../support/anyClient.js'
import { type SpawnedServer, spawnServer } from './support/spawnServer.js'

const folder = mkdtempSync(join(tmpdir(), 'taskwire-'))
const program = fileURLToPath(new URL('support/sharedServer.ts', import.meta.url))
const handlers = { elicitation: () => ({ action: 'accept' as const, content: { sure: true } }) }
let servers: SpawnedServer[] = []

beforeAll(async () => {
  servers = await Promise.all([spawnServer(program, folder), spawnServer(program, folder)])
}, 60_000)

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  rmSync(folder, { recursive: true, force: true })
})

/** A client behind a proxy that sends each request to the next process in turn. */
function createClient(): { client: TaskClient; asked: number[] } {
  const asked = servers.map(() => 0)
  let turn = 0
  const client = createTaskClient({
    url: 'http://proxy.example/mcp',
    storage: 'memory',
    transportOptions: {
      fetch: (_url, init) => {
        const index = turn % servers.length
        turn += 1
        asked[index] = (asked[index] ?? 0) + 1
        return fetch(String(servers[index]?.url), init)
      },
    },
    input: { handlers },
  })
  onTestFinished(() => client.close())
  return { client, asked }
}

function working(call: ToolCall): Promise<void> {
  return new Promise((resolve) => {
    const look = () => call.getState().phase === 'working' && resolve()
    call.subscribe(look)
    look()
  })
}

describe('two processes over one folder, behind a round-robin', () => {
  it('serve a client that never notices', async () => {
    const { client, asked } = createClient()
    const targets = ['one', 'two', 'three', 'four', 'five', 'six']
    const results = await Promise.all(
      targets.map((target) => client.callTool({ name: 'deploy', arguments: { target } })),
    )
    const texts = results.map(({ content: [block] }) => (block?.type === 'text' ? block.text : ''))
    const answer = JSON.stringify({ action: 'accept', content: { sure: true } })
    for (const [index, target] of targets.entries()) expect(texts[index]).toContain(`${target}: ${answer}`)
    // Both had work to do, and both were asked for work of the other.
    expect(new Set(texts.map((text) => text.split('by ')[1])).size).toBe(2)
    for (const count of asked) expect(count).toBeGreaterThan(targets.length)
  }, 30_000)

  it('cancel work that runs in the other one', async () => {
    const { client } = createClient()
    const calls = [client.startToolCall({ name: 'wait' }), client.startToolCall({ name: 'wait' })]
    for (const call of calls) {
      await working(call)
      void call.cancel()
    }
    for (const call of calls) await expect(call.result).rejects.toBeInstanceOf(TaskCancelledError)
  }, 30_000)
})

describe('a process that is started again over the same folder', () => {
  it('answers for the tasks of the one before', async () => {
    const first = await spawnServer(program, folder)
    const before = createTaskClient({ url: first.url, storage: 'memory', input: { handlers } })
    const done = before.startToolCall({ name: 'deploy', arguments: { target: 'kept' } })
    const result = await done.result
    const waiting = before.startToolCall({ name: 'wait' })
    await working(waiting)
    const [doneId = '', waitingId = ''] = [done, waiting].map((call) => call.getState().task?.taskId)
    await before.close()
    await first.stop()

    const second = await spawnServer(program, folder)
    const after = createTaskClient({ url: second.url, storage: 'memory' })
    onTestFinished(async () => {
      await after.close()
      await second.stop()
    })
    expect(await after.tasks.get(doneId)).toMatchObject({ status: 'completed', result })
    // Nobody works on it any more; its ttl will end it.
    expect(await after.tasks.get(waitingId)).toMatchObject({ status: 'working' })
  }, 60_000)
})
