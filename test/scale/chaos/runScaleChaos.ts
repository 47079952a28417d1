import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { type Database, startPostgres, startRedis } from '../../server/support/databases.js'
import { type Json, rpcRequest } from '../../server/support/rpc.js'
import { type Fleet, startFleet } from './fleet.js'
import { type Backend, prepare } from './parts.js'

/** What is played. */
export interface ScaleChaosOptions {
  readonly backend: Backend
  readonly tasks: number
  readonly webs: number
  readonly workers: number
  /** About how many ms pass between two faults. */
  readonly faultEveryMs: number
  /** How long after the last fault everything has to be over, in ms. */
  readonly patienceMs: number
}

/** What came of it: every row of `broken` has to be 0. */
export interface ScaleChaosReport {
  readonly broken: Record<string, number>
  readonly faults: Record<string, number>
  readonly ended: Record<string, number>
  readonly seconds: number
}

interface Call {
  readonly tool: string
  readonly key: string
  taskId?: string
  /** The first state after its end that anybody saw. */
  end?: Json
}

type Web = Pick<Fleet, 'urls'>

const WEB_KILLED = 'SIGKILL to a web process'
const TOOLS = ['effect', 'pure', 'asking']
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)]

/** Web and worker processes over a real database, with everything going wrong that can. */
export async function runScaleChaos(options: ScaleChaosOptions): Promise<ScaleChaosReport> {
  const { backend, tasks, webs, workers, faultEveryMs, patienceMs } = options
  const folder = mkdtempSync(join(tmpdir(), 'taskwire-chaos-'))
  const log = join(folder, 'world')
  writeFileSync(log, '')
  const database = await (backend === 'redis' ? startRedis() : startPostgres())
  await prepare(backend, database.url)
  const program = new URL('process.ts', import.meta.url)
  const web = startFleet({ program, args: ['web', backend, database.url, log], size: webs })
  const work = startFleet({ program, args: ['worker', backend, database.url, log], size: workers })
  try {
    await Promise.all([web.ready(), work.ready()])
    const begun = performance.now()
    const calls: Call[] = Array.from({ length: tasks }, (_, index) => ({
      tool: TOOLS[index % TOOLS.length] ?? '',
      key: `key-${index}`,
    }))
    const faults: Record<string, number> = {}
    const kinds: Record<string, () => Promise<void> | void> = {
      'SIGKILL to a worker': () => work.signal(Math.floor(Math.random() * workers), 'SIGKILL'),
      'SIGTERM to a worker': () => work.signal(Math.floor(Math.random() * workers), 'SIGTERM'),
      'SIGSTOP to a worker for 5 s': () => {
        const place = Math.floor(Math.random() * workers)
        work.signal(place, 'SIGSTOP')
        setTimeout(() => work.signal(place, 'SIGCONT'), 5000)
      },
      [WEB_KILLED]: () => web.signal(Math.floor(Math.random() * webs), 'SIGKILL'),
      'all connections cut': () => cutConnections(backend, database),
      'database restarted': () => database.restart(),
    }
    let isPlaying = true
    const play = async () => {
      const names = Object.keys(kinds)
      // Each of them once, then by chance.
      while (isPlaying) {
        await pause(faultEveryMs * (0.5 + Math.random()))
        if (!isPlaying) return
        // On a slow machine, there would be no web process left that takes calls.
        const possible = names.filter((name) => name !== WEB_KILLED || web.urls.length === webs)
        const name = possible.find((name) => faults[name] === undefined) ?? pick(possible) ?? ''
        await kinds[name]?.()
        faults[name] = (faults[name] ?? 0) + 1
      }
    }
    const playing = play()

    const waiting = [...calls]
    const begin = async () => {
      for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
        await start(call, web)
        await pause(Math.random() * 200)
      }
    }
    await Promise.all(Array.from({ length: 10 }, begin))
    const known = calls.filter(({ taskId }) => taskId !== undefined)
    // Until each fault has come and most work is done, then everybody is let alone.
    const isEnough = () =>
      Object.keys(faults).length === Object.keys(kinds).length &&
      known.filter(({ end }) => end !== undefined).length >= known.length * 0.8
    await look(known, web, isEnough, begun + 90_000)
    isPlaying = false
    await playing
    await pause(5000)
    await Promise.all([web.ready(), work.ready()])
    await look(known, web, () => known.every(({ end }) => end !== undefined), performance.now() + patienceMs)
    const seconds = (performance.now() - begun) / 1000
    const broken = await judge(known, web, readFileSync(log, 'utf8'))
    const ended: Record<string, number> = { 'calls without an answer': calls.length - known.length }
    for (const { end, tool } of known) {
      const how =
        end?.['status'] === 'failed' ? `failed: ${tool}: ${end['statusMessage']}` : String(end?.['status'] ?? 'working')
      ended[how] = (ended[how] ?? 0) + 1
    }
    return { broken, faults, ended, seconds }
  } finally {
    await Promise.all([web.stop(), work.stop()])
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A call is made once: whether one that was not answered has happened, nobody can tell. */
async function start(call: Call, web: Web): Promise<void> {
  const args = { key: call.key, ms: 100 + Math.random() * 400 }
  // Web processes that were killed are being started again: nothing was sent yet.
  while (web.urls.length === 0) await pause(100)
  const answer = await post(web, 'tools/call', { name: call.tool, arguments: args }, 10_000)
  if (typeof answer?.['taskId'] === 'string') call.taskId = answer['taskId']
}

/** Polls what is open and responses what is asked, until it is enough. */
async function look(calls: readonly Call[], web: Web, isEnough: () => boolean, until: number) {
  while (!isEnough() && performance.now() < until) {
    const open = calls.filter(({ end }) => end === undefined)
    for (let from = 0; from < open.length; from += 20) await Promise.all(open.slice(from, from + 20).map(lookAt))
    await pause(100)
  }

  async function lookAt(call: Call): Promise<void> {
    const { taskId = '' } = call
    const task = await post(web, 'tasks/get', { taskId })
    if (task !== undefined && ['completed', 'failed', 'cancelled'].includes(String(task['status']))) call.end = task
    const asked = Object.keys((task?.['inputRequests'] ?? {}) as Json)
    if (asked.length === 0) return
    const answers = asked.map((key) => [key, { action: 'accept', content: { sure: true } }])
    await post(web, 'tasks/update', { taskId, inputResponses: Object.fromEntries(answers) })
  }
}

/** The result, or undefined where there was none. */
async function post(web: Web, method: string, params: Json, ms = 5000): Promise<Json | undefined> {
  const url = pick(web.urls)
  if (url === undefined) return undefined
  const { headers, body } = rpcRequest(method, params)
  try {
    const text = await new Response(body).text()
    const response = await fetch(url, { method: 'POST', headers, body: text, signal: AbortSignal.timeout(ms) })
    return ((await response.json()) as { result?: Json }).result
  } catch {
    return undefined
  }
}

/** A process that was just started again may not answer yet. */
async function readAgain(web: Web, taskId: string): Promise<Json | undefined> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const task = await post(web, 'tasks/get', { taskId })
    if (task !== undefined) return task
    await pause(200)
  }
  return undefined
}

/** Failures that say what has happened. */
const TRUTHS = /worker was lost|was shut down/

async function judge(calls: readonly Call[], web: Web, world: string): Promise<Record<string, number>> {
  const lines = world.trim().split('\n')
  const count = (line: string) => lines.filter((one) => one === line).length
  const after: (Json | undefined)[] = []
  for (const { taskId = '' } of calls) {
    after.push(await readAgain(web, taskId))
  }
  const textOf = (end: Json | undefined) => JSON.stringify(end?.['result'] ?? {})
  const number = (broken: (call: Call, index: number) => boolean) => calls.filter(broken).length
  const repeated = lines.filter((line, index) => line !== '' && lines.indexOf(line) !== index)
  return {
    'left working': number(({ end }) => end === undefined),
    'ended twice': number(
      ({ end }, index) => end !== undefined && JSON.stringify(end) !== JSON.stringify(after[index]),
    ),
    'tools with effects that ran twice': repeated.filter((line) => line.startsWith('begin')).length,
    'steps that ran twice': repeated.filter((line) => line.startsWith('charge')).length,
    'completed without having happened': number(
      ({ end, tool, key }) =>
        end?.['status'] === 'completed' &&
        ((tool === 'effect' && count(`end ${key}`) !== 1) || (tool === 'asking' && count(`charge ${key}`) !== 1)),
    ),
    'completed with another result': number(({ end, tool, key }) => {
      const wanted = tool === 'asking' ? `${key} accept` : key
      return end?.['status'] === 'completed' && !textOf(end).includes(`"${wanted}"`)
    }),
    'failed without a true reason': number(({ end, tool }) => {
      if (end?.['status'] !== 'failed') return false
      // What only reads begins again, until it has taken five workers with it.
      const truths = tool === 'pure' ? /worker was lost/ : TRUTHS
      return !truths.test(String(end['statusMessage']))
    }),
    cancelled: number(({ end }) => end?.['status'] === 'cancelled'),
  }
}

async function cutConnections(backend: Backend, { url }: Database): Promise<void> {
  try {
    if (backend === 'redis') {
      const redis = new Redis(url)
      redis.on('error', () => {})
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal')
      await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
      redis.disconnect()
      return
    }
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
    )
    await client.end()
  } catch {
    // It is not there at the moment: cut enough.
  }
}
