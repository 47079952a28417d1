import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Queue } from 'bullmq'
import { createTaskClient } from 'taskwire'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hasRedis, WITHOUT_REDIS } from '../server/support/databases.js'
import { freePort } from '../support/freePort.js'
import { untilListening } from '../support/untilListening.js'

const WITHOUT_DOCKER = 'Docker Compose is left out: install Docker.'
const FOLDER = 'docs/examples/scale'
const compose = readFileSync(`${FOLDER}/compose.yaml`, 'utf8')

/** The services of the file and their members: as much of YAML as stands in it. */
function services(): Record<string, Record<string, string>> {
  const found: Record<string, Record<string, string>> = {}
  let service: Record<string, string> = {}
  let isService = false
  for (const line of compose.trimEnd().split('\n')) {
    const [, indent = '', key = '', value = ''] = /^( *)([\w.]+):(?: (.+))?$/.exec(line) ?? []
    if (key === '') throw new TypeError(`Not read by this test: ${line}`)
    if (indent === '') isService = key === 'services'
    else if (isService && indent.length === 2) found[key] = service = {}
    else if (isService) service[key] = value
  }
  return found
}

/** Started as the file says, with the programs read by what Node 20 needs for TypeScript. */
function start(command: string, more: string[], env: Record<string, string>): ChildProcess {
  const [program = '', ...words] = command.split(' ')
  const args = program === 'node' ? ['scripts/run.mjs', ...words.map((word) => `${FOLDER}/${word}`)] : words
  const child = spawn(program === 'node' ? process.execPath : program, [...args, ...more], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Workers that are told to end before they are there have nothing to hand over. */
async function untilWorking(url: string, count: number): Promise<void> {
  const queue = new Queue('taskwire', { connection: { url }, prefix: '{taskwire}' })
  try {
    await vi.waitUntil(async () => (await queue.getWorkersCount()) === count, { timeout: 60_000, interval: 100 })
  } finally {
    await queue.close()
  }
}

describe('the compose file of docs/scale.md', () => {
  it('stands in the documentation as it is', () => {
    expect(readFileSync('docs/scale.md', 'utf8')).toContain(`\`\`\`yaml\n${compose}\`\`\``)
  })

  it('has services that find Redis under its name, and workers that have the time to drain', () => {
    const { redis, web, worker } = services()
    expect(redis?.['image']).toMatch(/^redis:/)
    for (const service of [web, worker]) {
      expect(service).toMatchObject({ environment: '{ REDIS_URL: "redis://redis:6379" }', depends_on: '["redis"]' })
    }
    const drainMs = /drainMs: ([\d_]+)/.exec(readFileSync(`${FOLDER}/worker.ts`, 'utf8'))?.[1]?.replaceAll('_', '')
    expect(Number.parseInt(worker?.['stop_grace_period'] ?? '', 10) * 1000).toBeGreaterThan(Number(drainMs))
  })

  const hasDocker = spawnSync('docker', ['compose', 'version']).status === 0
  it.skipIf(!hasDocker)(hasDocker ? 'is read by docker compose' : WITHOUT_DOCKER, () => {
    const { status, stderr } = spawnSync('docker', ['compose', '--file', `${FOLDER}/compose.yaml`, 'config', '--quiet'])
    expect([status, String(stderr)]).toEqual([0, ''])
  })

  const name =
    'has commands that make a server: its tasks are worked on, cancelled, and handed over when they are told to end'
  it.skipIf(!hasRedis)(hasRedis ? name : WITHOUT_REDIS, { timeout: 120_000 }, async () => {
    const { redis, web, worker } = services()
    const [redisPort, port] = [await freePort(), await freePort()]
    const data = mkdtempSync(join(tmpdir(), 'taskwire-compose-'))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    const env = { REDIS_URL: `redis://127.0.0.1:${redisPort}`, PORT: String(port) }
    start(redis?.['command'] ?? '', ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', data], {})
    const webProcess = start(web?.['command'] ?? '', [], env)
    const workers = [1, 2].map(() => start(worker?.['command'] ?? '', [], env))
    await untilListening(port, 60_000)
    await untilWorking(env.REDIS_URL, workers.length)

    const client = createTaskClient({ url: `http://127.0.0.1:${port}/mcp`, storage: 'memory' })
    onTestFinished(() => client.close())
    const call = client.startToolCall({ name: 'generate_report', arguments: { quarter: 'Q3' } })
    call.result.catch(() => {})
    const shown = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (call.getState().task?.statusMessage?.includes(text)) resolve()
        }
        call.subscribe(look)
        look()
      })
    await shown('Europe')
    await call.cancel()
    await expect(call.result).rejects.toMatchObject({ name: 'TaskCancelledError' })

    for (const child of [webProcess, ...workers]) child.kill('SIGTERM')
    const codes = await Promise.all([webProcess, ...workers].map(async (child) => (await once(child, 'exit'))[0]))
    expect(codes).toEqual([0, 0, 0])
  })
})
